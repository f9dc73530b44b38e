import { isNativeError } from 'node:util/types';
import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';

/** What a failed call has changed: `unknown` if a commit was under way, or if a part was committed before. */
type ChangeExtent = 'nothing' | 'unknown';

/**
 * The database is unreachable, is shutting down, has no free connection or did not answer in time. The same call may
 * succeed later.
 */
export class DatabaseUnavailable extends Error {
  constructor(
    cause: unknown,
    readonly extent: ChangeExtent = 'nothing',
  ) {
    const uncertainty = extent === 'unknown' ? ', and it is not known whether the change was made' : '';
    super(
      `the database is not available${uncertainty}: ${isNativeError(cause) ? cause.message : String(cause)}`,
      {
        cause,
      },
    );
  }
}

const NETWORK_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);

/**
 * PostgreSQL's error codes, or their first letters, that are caused by the state of the server and not by the
 * statement.
 */
const SERVER_STATES = [
  '08', // connection exceptions
  '25006', // read-only: a standby answered
  '25P03', // idle in transaction for too long
  '25P04', // transaction took too long
  '40001', // serialization failure
  '40P01', // deadlock
  '53', // out of connections, memory or disk
  '55P03', // lock not available
  '57014', // statement took too long
  '57P', // shutting down, starting up, crashed
  '58', // system error outside PostgreSQL
];

/** Messages of pg about a lost connection, which have no code. */
const LOST =
  /^(Connection terminated|Client (has encountered a connection error|was closed)|timeout exceeded when trying to connect|timeout expired|Cannot use a pool after)/;

/**
 * Rethrows an error that happened after a change of the same request was committed.
 * @throws DatabaseUnavailable with the change `unknown`, or other errors as they are
 */
export function afterChange(error: unknown): never {
  throw error instanceof DatabaseUnavailable ? new DatabaseUnavailable(error.cause, 'unknown') : error;
}

/** Turns an error into DatabaseUnavailable if a later attempt may succeed; other errors stay as they are. */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof QueryRunnerAlreadyReleasedError) return new DatabaseUnavailable(error);
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  return isUnavailability(cause) ? new DatabaseUnavailable(cause) : error;
}

/**
 * Whether the error says that a prepared plan returns other types than its columns have now. PostgreSQL has no
 * separate code for this error, and its message is in the language of the server.
 */
export function isPlanOutdated(error: unknown): boolean {
  return isNativeError(error) && 'routine' in error && error.routine === 'RevalidateCachedQuery';
}

function isUnavailability(error: unknown): boolean {
  if (isPlanOutdated(error)) return true;
  const code = errorCode(error);
  if (code === undefined) return isNativeError(error) && LOST.test(error.message);
  return NETWORK_ERRORS.has(code) || SERVER_STATES.some((state) => code.startsWith(state));
}

/** Whether a value does not fit its column or violates a constraint: the same statement would always fail. */
export function isUnstorable(error: unknown): boolean {
  return /^2[23]/.test(errorCode(error) ?? '');
}

/** The five-character code of PostgreSQL, or Node's name of a system error. */
export function errorCode(error: unknown): string | undefined {
  const source: unknown = error instanceof QueryFailedError ? error.driverError : error;
  const code: unknown = isNativeError(source) && 'code' in source ? source.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
