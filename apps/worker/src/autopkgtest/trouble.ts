import type { Trouble } from '@proctor/contracts';

/** Symptoms of a test runner that ended in a way that proves nothing about the package. */
export interface Symptoms {
  /**
   * The exit code of the sandbox: 128 plus the signal's number when a signal ended the runner; null when the worker
   * killed it.
   */
  exitCode: number | null;
  /** The runner's message about its trouble. */
  message: string;
  /** The end of its log. */
  log: string;
}

interface Smell {
  trouble: Trouble;
  codes?: readonly number[];
  message?: RegExp;
  log?: RegExp;
  /** Matches only before the first test. */
  beforeTests?: true;
}

/** Messages of apt and dpkg-source about a failed download. */
const NOT_FETCHED =
  /failed to fetch|unable to fetch|could not (?:resolve|connect)|temporary failure resolving|unable to connect|hash sum mismatch|mirror sync in progress|404 +not found|does not have a release file|release file for \S+ (?:is expired|is not valid)|repeatedly failed to download|\(apt failure\)/i;

const MACHINE_LACKS =
  /no space left on device|disk quota exceeded|cannot allocate memory|out of memory|memoryerror|too many open files|read-only file system|input\/output error|resource temporarily unavailable/i;

/** The setup commands, or newer runners themselves, update the testbed; only the log has the reason when they fail. */
const NOT_UP_TO_DATE = /setup commands failed|apt-get|failed testbed apt update/i;

/** The first match counts. */
const SMELLS: readonly Smell[] = [
  { trouble: 'machine', message: MACHINE_LACKS },
  // Only the log has the reason when a copy failed.
  { trouble: 'machine', codes: [16], message: /copy-failed/, log: MACHINE_LACKS },
  // E2BIG: a value of the request is too long for the runner to pass on.
  { trouble: 'request', message: /argument list too long/i },
  { trouble: 'archive', message: NOT_FETCHED },
  { trouble: 'archive', message: NOT_UP_TO_DATE, log: NOT_FETCHED },
  // During a test the package may be the reason.
  { trouble: 'testbed', codes: [16], beforeTests: true },
  // The shell could not execute the runner; the kernel killed it, as it does when memory is short.
  { trouble: 'machine', codes: [126, 127, 137] },
];

/** autopkgtest's own lines about a test: its preparation, start and end of its output, results. */
const OF_TEST = /^(?: *\d+s )?autopkgtest \[[\d:]+\]: test (\S+): (.*)$/gm;
const PREPARATION = 'preparing testbed';

/** A server's message when it cannot copy files of the package, or of a test, out of the testbed. */
const NOT_COPIED = /^(?: *\d+s )?autopkgtest-virt-\S+ \[[\d:]+\]: copyup \w+ failed/m;

/**
 * The test that was running, or had ended last, at the end of the runner's log; `*` when only the package is known;
 * null: none, or the next was being prepared.
 */
export function currentTest(log: string): string | null {
  const [, name, words] = [...log.matchAll(OF_TEST)].at(-1) ?? [];
  // So many lines about files may follow that the test's name is not found.
  if (name === undefined) return NOT_COPIED.test(log) ? '*' : null;
  return words === PREPARATION ? null : name;
}

/** The probable cause of a tmpfail; undefined when it is unknown. */
export function troubleOf({ exitCode, message, log }: Symptoms): Trouble | undefined {
  const isUnderTest = currentTest(log) !== null;
  const smell = SMELLS.find(
    (smell) =>
      !(smell.beforeTests && isUnderTest) &&
      (!smell.codes || (exitCode !== null && smell.codes.includes(exitCode))) &&
      (!smell.message || smell.message.test(message)) &&
      (!smell.log || smell.log.test(log)),
  );
  return smell?.trouble;
}
