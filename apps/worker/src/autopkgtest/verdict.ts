import {
  FAILED_UNDER_TEST,
  MESSAGE_LENGTH_MAX,
  oneLine,
  TEST_NAME_LENGTH_MAX,
  type TestRequest,
  type Trouble,
  type Verdict,
} from '@proctor/contracts';
import { absenceOf, type PackageSearch } from './absence';
import { crashByPackage, crashException, unparsedDependencies } from './crash';
import { findFailedStep, type FailedStep } from './steps';
import { type Symptoms, currentTest, troubleOf } from './trouble';

/** How the test runner ended. */
export interface RunnerEnd {
  /** Null: it was killed. */
  exitCode: number | null;
  /** Set when it was killed for its time: this was the limit. */
  limitMs?: number;
  /** Set when it was killed because it wrote more than this of log and other output. */
  outputBytesMax?: number;
  /** Set when it was killed for a file of the package that it could never read to its end: name and kind. */
  unreadable?: string;
  /** The message about the runner's own trouble in its summary or standard error. */
  detail?: string;
  /** The end of the runner's log. */
  logEnd?: string;
}

export interface Judgement {
  verdict: Verdict;
  /** One sentence for people. */
  message: string;
  /** The runner's exit code; null when a signal ended it. */
  exitCode: number | null;
  /** Set only with tmpfail, and only if known. */
  trouble?: Trouble;
}

/** autopkgtest(1), "EXIT STATUS". */
const JUDGEMENTS: Record<number, [Verdict, string]> = {
  0: ['pass', 'all tests passed'],
  2: ['pass', 'all tests that could be run passed, at least one was skipped'],
  4: ['fail', 'at least one test failed'],
  6: ['fail', 'at least one test failed and at least one was skipped'],
  8: ['neutral', 'there are no tests, or all were skipped or flaky'],
  12: ['fail', 'the package or its tests are erroneous'],
  14: ['fail', 'the package or its tests are erroneous, and at least one test was skipped'],
  16: ['tmpfail', 'the testbed failed'],
  20: ['tmpfail', 'the test runner failed'],
};

export const TESTBED_FAILED = 16;

/** Codes whose reason the runner writes into its summary. */
const EXPLAINED = new Set([12, 14, 16, 20]);

/** @param search absent: a local tree is tested */
export function judge(end: RunnerEnd, search?: PackageSearch): Judgement {
  if (end.unreadable !== undefined) return judgeUnreadable(end.unreadable);
  const symptoms = { exitCode: end.exitCode, message: end.detail ?? '', log: end.logEnd ?? '' };
  const exception = crashException(symptoms);
  const judgement = judgeCode(exception === null ? end : { ...end, detail: exception });
  const absence = search ? absenceOf(search, symptoms) : null;
  if (absence !== null) return { ...judgement, verdict: 'absent', message: absence };
  const crash = crashByPackage(symptoms) ?? unparsedDependencies(symptoms);
  if (crash !== null) return { ...judgement, verdict: 'fail', message: oneLine(crash, MESSAGE_LENGTH_MAX) };
  const step = EXPLAINED.has(end.exitCode ?? -1) && limitOf(end) === null ? findFailedStep(symptoms) : null;
  if (step !== null) return judgeStep(judgement, step, symptoms);
  if (limitOf(end) !== null) return { ...judgement, trouble: 'limit' };
  const trouble = judgement.verdict === 'tmpfail' ? troubleOf(symptoms) : undefined;
  return { ...withTestName(judgement, symptoms), ...(trouble !== undefined && { trouble }) };
}

/** A failed step that is not the package's fault proves nothing about the package, whatever the runner's exit code. */
function judgeStep(judgement: Judgement, { sentence, fault }: FailedStep, symptoms: Symptoms): Judgement {
  const message = oneLine(sentence, MESSAGE_LENGTH_MAX);
  const shortageTrouble = troubleOf(symptoms);
  if (shortageTrouble === 'machine')
    return { ...judgement, verdict: 'tmpfail', message, trouble: shortageTrouble };
  if (fault === 'package' || (fault === undefined && judgement.verdict === 'fail')) {
    return { ...judgement, message: withDetail(sentenceOf(judgement), sentence) };
  }
  const trouble = fault ?? shortageTrouble;
  return { ...judgement, verdict: 'tmpfail', message, ...(trouble !== undefined && { trouble }) };
}

/** Adds the test that was running when the testbed failed. */
function withTestName(judgement: Judgement, { exitCode, message, log }: Symptoms): Judgement {
  const test = exitCode === TESTBED_FAILED ? currentTest(log) : null;
  if (test === null) return judgement;
  const name = oneLine(test, TEST_NAME_LENGTH_MAX);
  const why = message.includes("got `copy-failed'") ? 'what it left cannot be copied' : message;
  return { ...judgement, message: withDetail(`${FAILED_UNDER_TEST}${name}`, why) };
}

function judgeUnreadable(what: string): Judgement {
  const message = `its files cannot be read: ${what}`;
  return { verdict: 'fail', message: oneLine(message, MESSAGE_LENGTH_MAX), exitCode: null };
}

/** The meaning of the runner's exit code, without its message. */
function sentenceOf({ exitCode }: Judgement): string {
  return JUDGEMENTS[exitCode ?? -1]?.[1] ?? 'the test runner failed';
}

function judgeCode(end: RunnerEnd): Judgement {
  const { exitCode, detail } = end;
  const limit = limitOf(end);
  if (limit !== null) {
    return { verdict: 'tmpfail', message: `ended ${limit} by the worker's limit`, exitCode: null };
  }
  if (exitCode === null) return { verdict: 'tmpfail', message: 'the test runner was killed', exitCode: null };
  // A shell reports the signal that ended its command in this way.
  if (exitCode > 128) {
    const message = withDetail(`the test runner was ended by signal ${exitCode - 128}`, detail);
    return { verdict: 'tmpfail', message, exitCode: null };
  }
  const [verdict, sentence] = JUDGEMENTS[exitCode] ?? [
    'tmpfail',
    `the test runner ended with the unknown code ${exitCode}`,
  ];
  const isExplained = EXPLAINED.has(exitCode) || !(exitCode in JUDGEMENTS);
  return { verdict, message: isExplained ? withDetail(sentence, detail) : sentence, exitCode };
}

/**
 * The limit of the worker at which it was ended. This is no verdict on the package: slow tests, a slow machine and a
 * test that hangs look the same.
 */
function limitOf({ limitMs, outputBytesMax }: RunnerEnd): string | null {
  if (limitMs !== undefined) return `after ${hours(limitMs)}`;
  return outputBytesMax === undefined ? null : `after ${outputBytesMax} bytes of output`;
}

/** The deployment does not test this version of the package here, so the runner's result does not count. */
export function judgeRejectedVersion(
  { package: name, suite, arch }: Pick<TestRequest, 'package' | 'suite' | 'arch'>,
  version: string,
): Pick<Judgement, 'verdict' | 'message'> {
  const message = `version ${version} of ${name} is on the reject list for ${suite}/${arch}`;
  return { verdict: 'fail', message };
}

function withDetail(sentence: string, detail = ''): string {
  return oneLine(detail.trim() ? `${sentence}: ${detail}` : sentence, MESSAGE_LENGTH_MAX);
}

function hours(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}
