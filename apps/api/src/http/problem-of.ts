import { HttpException } from '@nestjs/common';
import { Refusal } from '@proctor/administration';
import type { RefusalKind } from '@proctor/administration';
import {
  BrokenOff,
  DatabaseUnavailable,
  InvalidUserName,
  UnknownUser,
  UnknownWorker,
  UserExists,
  WorkerExists,
  WorkerRevoked,
} from '@proctor/database';
import { TooFar } from '@proctor/result-files';
import { StoreUnavailable } from '@proctor/store';
import { bodyTooLarge, comeBack, Problem } from './problem';
import type { Parameters } from './parameters';

const RETRY_AFTER_MS = 5_000;

const NOTHING_CHANGED = 'The database is out of reach; nothing was changed. Please try again.';

const CHANGE_UNKNOWN =
  'The database is out of reach, and it is not known whether this request was carried out. A request with an ' +
  'Idempotency-Key may be sent again as it is; otherwise look first: GET /api/v1/test lists what there is.';

const STATUS_OF: Record<RefusalKind, number> = { invalid: 400, forbidden: 403, unknown: 404, conflict: 409 };

/**
 * Converts an error to the problem for the client, without internal details, and never with 500 for the client's own
 * mistake.
 * @param parameters of the request, if they were read
 */
export function problemOf(error: unknown, parameters?: Parameters): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof Refusal) return refusedBy(error, parameters);
  if (error instanceof UnknownWorker || error instanceof UnknownUser)
    return new Problem(404, sentence(error.message));
  if (error instanceof InvalidUserName) return ofName(400, error, parameters);
  if (error instanceof WorkerExists || error instanceof UserExists) return ofName(409, error, parameters);
  if (error instanceof WorkerRevoked) return new Problem(409, sentence(error.message));
  if (error instanceof BrokenOff) return comeBack(503, brokenOff(error), RETRY_AFTER_MS);
  if (error instanceof DatabaseUnavailable) {
    return comeBack(503, error.extent === 'nothing' ? NOTHING_CHANGED : CHANGE_UNKNOWN, RETRY_AFTER_MS);
  }
  if (error instanceof StoreUnavailable) {
    return comeBack(503, 'The store of results is out of reach. Please try again.', RETRY_AFTER_MS);
  }
  if (error instanceof TooFar) {
    const detail = 'That place of the file takes too long to reach; the whole file can be downloaded.';
    return new Problem(422, detail);
  }
  if (error instanceof HttpException) return new Problem(error.getStatus(), sentence(error.message));
  return ofHttpLibrary(error) ?? new Problem(500, 'The server failed to answer; the failure was logged.');
}

/** A problem of the field `name`, where the request has one. */
function ofName(status: number, { message }: Error, parameters?: Parameters): Problem {
  const [detail, pointer] = [sentence(message), parameters?.get('name')?.pointer ?? null];
  return new Problem(status, detail, pointer === null ? {} : { errors: [{ pointer, detail }] });
}

function refusedBy({ kind, message, field }: Refusal, parameters?: Parameters): Problem {
  // A message that begins with the name of a field keeps its spelling.
  const detail = field !== null && message.startsWith(field) ? `${message}.` : sentence(message);
  const pointer = field === null ? null : (parameters?.get(field)?.pointer ?? null);
  return new Problem(STATUS_OF[kind], detail, pointer === null ? {} : { errors: [{ pointer, detail }] });
}

function brokenOff({ changedIds, extent }: BrokenOff): string {
  const count = `${extent === 'nothing' ? '' : 'at least '}${changedIds.length} runs were changed and stay so`;
  return `The database is out of reach since the request was begun: ${count}. Sending it again goes on with the rest.`;
}

/** Express and its body parser mark errors of the client by a status below 500 and a message that may be shown. */
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
