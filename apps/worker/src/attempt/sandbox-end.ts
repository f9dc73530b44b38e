import type { Clock } from '@proctor/clock';
import type { Log } from '@proctor/process';
import type { PackageSearch } from '../autopkgtest/absence';
import { readOutput, type RunnerOutput } from '../autopkgtest/output';
import { endOfFile } from '../autopkgtest/plain-file';
import { judge, TESTBED_FAILED, type Judgement, type RunnerEnd } from '../autopkgtest/verdict';
import type { RunFolder } from '../sandbox/run-folder';
import type { Sandbox } from '../sandbox/sandbox';

/**
 * How a sandbox ended: `exitCode` is null when it was killed, `limitMs` is set when that was for its time,
 * `outputBytesMax` for its output, `unreadable` for a file of the package.
 */
export type SandboxEnding = Pick<RunnerEnd, 'exitCode' | 'limitMs' | 'outputBytesMax' | 'unreadable'>;

export interface EndParts {
  clock: Clock;
  log: Log;
}

/**
 * Waits for the end of a sandbox: by itself, at the time limit, or by a call of the function that `watch` gets. Nothing
 * of it is left then. Rejects when the signal ended it; a later signal changes nothing.
 * @param watch starts watching and returns how to stop
 */
export async function waitForEnd(
  sandbox: Sandbox,
  limitMs: number,
  signal: AbortSignal,
  { clock, log }: EndParts,
  watch: (kill: () => void) => () => void = () => () => undefined,
): Promise<SandboxEnding> {
  let isOverLimit = false;
  let isKilled = false;
  let isAborted = false;
  const kill = () => {
    isKilled = true;
    sandbox.kill().catch((error: unknown) => log.warn(`a sandbox does not end: ${String(error)}`));
  };
  const cancelLimit = clock.after(limitMs, () => {
    isOverLimit = true;
    kill();
  });
  const stopWatching = watch(kill);
  const abort = () => {
    // A sandbox that a limit has ended already has its verdict.
    isAborted = !isKilled;
    kill();
  };
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  try {
    const { code } = await sandbox.ending;
    if (isAborted) throw signal.reason;
    // The exit code of a killed sandbox is not the test runner's.
    return { exitCode: isKilled ? null : code, ...(isOverLimit ? { limitMs } : {}) };
  } finally {
    stopWatching();
    cancelLimit();
    signal.removeEventListener('abort', abort);
  }
}

/**
 * Judges the ending and the runner's files together.
 * @param search absent: a local tree was tested
 */
export async function judgeEnd(
  folder: RunFolder,
  ending: SandboxEnding,
  search?: PackageSearch,
): Promise<{ judgement: Judgement } & Pick<RunnerOutput, 'version' | 'tests'>> {
  const { version, tests, trouble, logEnd } = await readOutput(
    folder.output,
    ending.exitCode === TESTBED_FAILED,
  );
  const detail = trouble ?? lastLine(await endOfFile(folder.errors, 1024));
  return { judgement: judge({ ...ending, detail, logEnd }, search), version, tests };
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
