import { MESSAGE_LENGTH_MAX, oneLine, type Trouble } from '@proctor/contracts';
import { UnsafeRequest } from '../autopkgtest/unsafe-request';
import { ArchiveAway, type AttemptResult, type AttemptVerdict } from './ports';

/** The result of an attempt that ended with an error of the worker. */
export function resultOfError(error: unknown, durationSeconds: number): AttemptResult {
  const trouble = troubleOf(error);
  const sentence =
    trouble === 'request' ? 'the worker refuses the request' : 'the worker could not execute the test';
  const text = error instanceof Error ? error.message : String(error);
  return tmpfail(`${sentence}: ${text}`, trouble, durationSeconds);
}

/** The result of a verdict whose log and artifacts were not packed. */
export function withoutFiles(verdict: AttemptVerdict, why: string): AttemptResult {
  const text = `${verdict.message}; its log and artifacts are lost: ${why}`;
  return { ...verdict, message: oneLine(text, MESSAGE_LENGTH_MAX), files: [] };
}

/** The result of an attempt whose own result could not be saved. */
export function resultOfFailedSave(why: string, durationSeconds: number): AttemptResult {
  return tmpfail(`the worker could not keep the result: ${why}`, 'machine', durationSeconds);
}

function tmpfail(text: string, trouble: Trouble, durationSeconds: number): AttemptResult {
  const message = oneLine(text, MESSAGE_LENGTH_MAX);
  const nothing = { exitCode: null, version: null, tests: [], files: [] };
  return { verdict: 'tmpfail', message, trouble, durationSeconds, ...nothing };
}

/** The probable cause of an error that ended an attempt. */
function troubleOf(error: unknown): Trouble {
  // Some value of the request is too long for an argument of a program.
  if (error instanceof UnsafeRequest || (error as NodeJS.ErrnoException).code === 'E2BIG') return 'request';
  return error instanceof ArchiveAway ? 'archive' : 'machine';
}
