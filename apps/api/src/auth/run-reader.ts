import type { Requestor, RunReader } from '@proctor/database';
import type { ContextRequest } from '../http/request-context';

/** Whose a run is. */
export interface OwnedRun {
  /** The id of the API key that requested the run. */
  keyId: number;
  /** A user's name. */
  requestor: string;
}

/** Which runs a requestor may see: by the API, those of the same key; on pages, those of the same user. */
export function readerOf({ isAdmin, keyId, userName, isOnPages }: Requestor): RunReader {
  return isOnPages ? { everything: isAdmin, userName } : { everything: isAdmin, keyId };
}

/** Which runs the sender of a request without required credentials may see: those of its session, and those of its API key. */
export function visitorOf({ visitor, viewer }: ContextRequest): RunReader {
  const [byKey, bySession] = [visitor ? readerOf(visitor) : {}, viewer?.reader ?? {}];
  return { ...byKey, ...bySession, everything: byKey.everything === true || bySession.everything === true };
}

/** Whether a run is the reader's own: by the API, of the same key; on pages, of the same user. */
export function isOwn({ keyId, userName }: RunReader, run: OwnedRun): boolean {
  return run.keyId === keyId || run.requestor === userName;
}

/** The one rule of who may know of a run: everybody of a public one; of a private one who it is of, and administrators. */
export function maySee(reader: RunReader, run: OwnedRun & { isPrivate: boolean }): boolean {
  return !run.isPrivate || reader.everything === true || isOwn(reader, run);
}

/** Who may end a run: whose it is, and administrators. */
export function mayEnd(reader: RunReader, run: OwnedRun): boolean {
  return reader.everything === true || isOwn(reader, run);
}
