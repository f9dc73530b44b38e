import type { IdempotencyKey, KeyLimits, Requestor, User } from '@proctor/database';
import type { Request } from 'express';
import type { Parameters } from './parameters';

/** Which names of a request's query were read; of the API, of its body too. */
export interface QueryWatch {
  given: readonly string[];
  read: Set<string>;
}

/** What the steps before a handler have found out about a request. */
export interface RequestContext {
  /** The name of the request in logs, answers and messages. */
  requestId?: string;
  /** Its target is neither a path nor an address of HTTP. */
  isTargetUnusable?: true;
  /** Of a route that needs an API key. */
  requestor?: Requestor;
  /** What its key is good for. */
  keyLimits?: KeyLimits;
  /** Of a route that needs none: null without a valid one. */
  visitor?: Requestor | null;
  /** Of a route that needs a password: the user whose keys it is about. */
  keyOwner?: User;
  /** Of the public data: a route of the API answers as it would answer the public, whatever the key. */
  isPublicRead?: true;
  watch?: QueryWatch;
  /** Query and body, as they were read. */
  parameters?: Parameters;
  /** Null without the header `Idempotency-Key`. */
  claim?: IdempotencyKey | null;
}

export type ContextRequest = Request & RequestContext;
