import type { Requestor, RunReader } from '@proctor/database';
import type { ContextRequest } from '../http/request-context';

/** The owner of a run. */
export interface OwnedRun {
  /** The id of the API key that requested the run. */
  keyId: number;
  /** A user's name. */
  requestor: string;
}

/** The runs that a requestor may see: in the API those of the same key, on pages those of the same user. */
export function readerOf({ isAdmin, keyId, userName, isOnPages }: Requestor): RunReader {
  return isOnPages ? { everything: isAdmin, userName } : { everything: isAdmin, keyId };
}

/**
 * The runs that the sender of a request may see if no credentials are required: those of its session and of its API
 * key.
 */
export function visitorOf({ visitor, viewer }: ContextRequest): RunReader {
  const [byKey, bySession] = [visitor ? readerOf(visitor) : {}, viewer?.reader ?? {}];
  return { ...byKey, ...bySession, everything: byKey.everything === true || bySession.everything === true };
}

/** Whether the reader owns a run: in the API by the same key, on pages by the same user. */
export function isOwn({ keyId, userName }: RunReader, run: OwnedRun): boolean {
  return run.keyId === keyId || run.requestor === userName;
}

/**
 * The one rule of who may know of a run: all readers of a public run; its owner and administrators of a private one.
 */
export function maySee(reader: RunReader, run: OwnedRun & { isPrivate: boolean }): boolean {
  return !run.isPrivate || reader.everything === true || isOwn(reader, run);
}

/** Whether the reader may end a run: its owner and administrators may. */
export function mayEnd(reader: RunReader, run: OwnedRun): boolean {
  return reader.everything === true || isOwn(reader, run);
}
