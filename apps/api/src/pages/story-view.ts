import type { Fact, FactKind, NeutralStatus, TestResult, TestStatus } from '@proctor/contracts';
import type { Explanation } from '../dispatchers/explanation.service';
import { statusOf } from '../runs/result-object';
import { utc } from './run-view';

const WHAT: Record<FactKind, string> = {
  requested: 'requested',
  granted: 'given to a worker',
  started: 'started',
  requeued: 'waits again',
  finished: 'finished',
  corrected: 'corrected by a result that came late',
  cancelled: 'cancelled',
  reprioritised: 'got another priority',
  published: 'made public',
};

/** Statuses are coloured by these names of style.css. */
const TEST_COLOUR: Record<TestStatus, string> = { PASS: 'pass', FAIL: 'fail', SKIP: '', FLAKY: 'tmpfail' };

/** One thing that happened to a run as its page writes it: every value is a text. */
export function factView({ kind, attempt, actor, reason, verdict, at }: Fact, neutral: NeutralStatus) {
  const status = statusOf(verdict, neutral);
  return {
    at: utc(new Date(at)),
    what: status ? `${WHAT[kind]}: ${status}` : WHAT[kind],
    attempt: attempt === 0 ? '' : String(attempt),
    actor,
    reason: reason ?? '',
  };
}

/** How one test ended as its run's page writes it: every value is a text. */
export function testView({ name, status, detail }: TestResult) {
  return {
    name: name === '*' ? 'the whole package' : name,
    status,
    colour: TEST_COLOUR[status],
    detail: detail ?? '',
  };
}

/** Where a waiting run stands, in one sentence, and why. */
export function waitView({ position, ahead, estimatedStart, reasons }: Explanation) {
  const place = position === null ? 'for its turn' : `at position ${position}`;
  const before = ahead === null ? '' : `; ${ahead === 1 ? '1 run goes' : `${ahead} runs go`} before it`;
  const start = estimatedStart ? `; it is expected to start at ${utc(estimatedStart)}` : '';
  return { sentence: `This run waits ${place}${before}${start}${reasons.length > 0 ? ':' : '.'}`, reasons };
}
