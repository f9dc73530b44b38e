import type { IdempotencyKey, Requestor, User } from '@proctor/database';
import type { Request } from 'express';
import type { Parameters } from './parameters';

/** What the steps before a handler have found out about a request. */
export interface RequestContext {
  /** Of a route that needs an API key. */
  requestor?: Requestor;
  /** Of a route that needs none: null without a valid one. */
  visitor?: Requestor | null;
  /** Of a route that needs a password: the user whose keys it is about. */
  keyOwner?: User;
  /** Query and body, as they were read. */
  parameters?: Parameters;
  /** Null without the header `Idempotency-Key`. */
  claim?: IdempotencyKey | null;
}

export type ContextRequest = Request & RequestContext;
