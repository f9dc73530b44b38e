import type { IdempotencyKey, KeyLimits, Requestor, User } from '@proctor/database';
import type { Request } from 'express';
import type { Parameters } from './parameters';

/** Which names of a request's query were read; of the API, of its body too. */
export interface QueryWatch {
  names: readonly string[];
  readNames: Set<string>;
}

/** What the steps before a handler have found out about a request. */
export interface RequestContext {
  /** The name of the request in logs, answers and messages. */
  requestId?: string;
  /** Its target is neither a path nor an address of HTTP. */
  isTargetUnusable?: true;
  /** The owner of the API key; only on routes that need a key. */
  requestor?: Requestor;
  /** What its key is good for. */
  keyLimits?: KeyLimits;
  /** The owner of the API key on routes that need no key; null without a valid key. */
  visitor?: Requestor | null;
  /** The user whose keys are managed; only on routes that need a password. */
  keyOwner?: User;
  /** The route belongs to the public data: it answers as it would answer the public, whatever the key. */
  isPublicRead?: true;
  watch?: QueryWatch;
  /** Query and body, as they were read. */
  parameters?: Parameters;
  /** Null without the header `Idempotency-Key`. */
  claim?: IdempotencyKey | null;
}

export type ContextRequest = Request & RequestContext;
