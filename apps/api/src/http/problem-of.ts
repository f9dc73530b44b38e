import { HttpException } from '@nestjs/common';
import { BrokenOff, DatabaseUnavailable } from '@proctor/database';
import { StoreUnavailable } from '@proctor/store';
import { bodyTooLarge, comeBack, Problem } from './problem';

const RETRY_AFTER_MS = 5_000;

const NOTHING_CHANGED = 'The database is out of reach; nothing was changed. Please try again.';

const CHANGE_UNKNOWN =
  'The database is out of reach, and it is not known whether this request was carried out. A request with an ' +
  'Idempotency-Key may be sent again as it is; otherwise look first: GET /api/v1/test lists what there is.';

/** An error as the client sees it: never more than it may know, and never a fault of its own as a 500. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof BrokenOff) return comeBack(503, brokenOff(error), RETRY_AFTER_MS);
  if (error instanceof DatabaseUnavailable) {
    return comeBack(503, error.changed === 'nothing' ? NOTHING_CHANGED : CHANGE_UNKNOWN, RETRY_AFTER_MS);
  }
  if (error instanceof StoreUnavailable) {
    return comeBack(503, 'The store of results is out of reach. Please try again.', RETRY_AFTER_MS);
  }
  if (error instanceof HttpException) return new Problem(error.getStatus(), sentence(error.message));
  return ofHttpLibrary(error) ?? new Problem(500, 'The server failed to answer; the failure was logged.');
}

function brokenOff({ done, changed }: BrokenOff): string {
  const count = `${changed === 'nothing' ? '' : 'at least '}${done.length} runs were changed and stay so`;
  return `The database is out of reach since the request was begun: ${count}. Sending it again goes on with the rest.`;
}

/** Express and its body parser mark what the client did wrong by a status below 500 and an error that may be shown. */
function ofHttpLibrary(error: unknown): Problem | null {
  if (!(error instanceof Error) || !('status' in error) || !('expose' in error)) return null;
  const { status, expose, message } = error;
  if (typeof status !== 'number' || status < 400 || status > 499 || expose !== true) return null;
  if (status !== 413) return new Problem(status, sentence(message));
  return bodyTooLarge('limit' in error && typeof error.limit === 'number' ? error.limit : null);
}

function sentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
