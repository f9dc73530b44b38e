import { RESULT_FILES, type ResultFileName } from '@proctor/contracts';
import type { NamedFile } from './result-store';

/** Runs of one folder, so that none grows too large to list. */
const RUNS_PER_FOLDER = 1000;

/** The folder of an attempt's files in every store: `{runId / 1000}`, `{runId}`, `{attempt}`. */
export function attemptPath(runId: number, attempt: number): [string, string, string] {
  const [run, nth] = [positive(runId), positive(attempt)];
  return [String(Math.floor(run / RUNS_PER_FOLDER)), String(run), String(nth)];
}

/** The path of a file in every store, with slashes. */
export function storedPath({ runId, attempt, name }: NamedFile): string {
  return [...attemptPath(runId, attempt), checkName(name)].join('/');
}

/** The file of a path in a store; null for a path that no attempt has written. */
export function fileAt(path: string): NamedFile | null {
  const [folder, run = '', nth = '', name, ...rest] = path.split('/');
  const resultFile = RESULT_FILES.find((each) => each === name);
  if (!resultFile || rest.length > 0 || ![run, nth].every((each) => /^[1-9]\d{0,15}$/.test(each)))
    return null;
  const [runId, attempt] = [Number(run), Number(nth)];
  return folder === String(Math.floor(runId / RUNS_PER_FOLDER)) ? { runId, attempt, name: resultFile } : null;
}

/**
 * Returns the name if it is one of the names of result files, because names become paths. @throws Error for any other
 * name
 */
export function checkName(name: string): ResultFileName {
  const resultFile = RESULT_FILES.find((each) => each === name);
  if (!resultFile) throw new Error(`"${name}" is not the name of a result file`);
  return resultFile;
}

function positive(id: number): number {
  if (!Number.isSafeInteger(id) || id < 1) throw new Error(`${id} is not the number of a run or attempt`);
  return id;
}
