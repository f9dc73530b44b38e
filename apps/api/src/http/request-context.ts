import type { IdempotencyKey, KeyLimits, Requestor, User } from '@proctor/database';
import type { Request } from 'express';
import type { Parameters } from './parameters';

/** The names of a request's query that were read; in the API also those of its body. */
interface QueryWatch {
  names: readonly string[];
  readNames: Set<string>;
}

/** What earlier steps have found out about a request, for its handler. */
export interface RequestContext {
  /** The name of the request in logs, answers and messages. */
  requestId?: string;
  /** Why its target or its host is refused. */
  targetFault?: string;
  /** The owner of the API key; only on routes that need a key. */
  requestor?: Requestor;
  /** The scope and the end of its key. */
  keyLimits?: KeyLimits;
  /** The owner of the API key on routes that need no key; null without a valid key. */
  visitor?: Requestor | null;
  /** The user whose keys are managed; only on routes that need a password. */
  keyOwner?: User;
  /** The route belongs to the public data: its answer is the public one, with any key. */
  isPublicRead?: true;
  watch?: QueryWatch;
  /** Query and body after parsing. */
  parameters?: Parameters;
  /** Null without the header `Idempotency-Key`. */
  claim?: IdempotencyKey | null;
}

export type ContextRequest = Request & RequestContext;
