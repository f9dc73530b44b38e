import { EARLY_END_KINDS, type Fact, FACTS, type NeutralStatus, type TestResult } from '@proctor/contracts';
import type { AttemptRecord, RunRecord } from '@proctor/database';
import type { Explanation } from '../../dispatchers/explanation.service';
import { endWord } from '../../runs/result-object';
import { logPath } from '../../runs/page-paths';
import { secondsInWords } from '../layout/times';

/** An event in the life of a run, for its page. All values except `at` are text. */
export function factView({ kind, attempt, actor, reason, verdict, at }: Fact, neutral: NeutralStatus) {
  const status = EARLY_END_KINDS.includes(kind) ? null : endWord(verdict, neutral);
  return {
    at: new Date(at),
    what: status ? `${FACTS[kind]}: ${status}` : FACTS[kind],
    attempt: attempt === 0 ? '' : String(attempt),
    actor,
    reason: reason ?? '',
  };
}

/** The result of one test, for the page of its run. All values are text. */
export function testView({ name, status, detail }: TestResult) {
  return {
    name: name === '*' ? 'the whole package' : name,
    status,
    detail: detail ?? '',
  };
}

/** The expected wait is shown as a range: the estimate multiplied by these two factors. */
const ESTIMATE_RANGE = [0.7, 1.5] as const;

/**
 * The position of a waiting run in one sentence, and the reasons why it waits.
 * @param now the time of the explanation
 */
export function waitView({ position, ahead, estimatedStart, reasons }: Explanation, now: Date) {
  const place = position === null ? 'for its turn' : `at position ${position}`;
  const behind = !ahead ? '' : `, behind ${ahead === 1 ? '1 other run' : `${ahead} other runs`}`;
  const start = estimatedStart ? ` It is expected to start ${startWords(estimatedStart, now)}.` : '';
  return { sentence: `This run waits ${place}${behind}.${start}`, reasons };
}

/** `in 7 min to 15 min`, `within 1 min` */
function startWords(start: Date, now: Date): string {
  const minutes = (start.getTime() - now.getTime()) / 60_000;
  const [least, most] = ESTIMATE_RANGE.map((share) => Math.round(share * minutes)) as [number, number];
  const [from, to] = [least, Math.max(1, most)].map((each) => secondsInWords(each * 60));
  return least < 1 || least === most ? `within ${to}` : `in ${from} to ${to}`;
}

/** An attempt of a run, for the page of the run. All values except times are text. */
export function attemptView(attempt: AttemptRecord, run: RunRecord, neutral: NeutralStatus) {
  const { attempt: number, worker, outcome, reason, verdict } = attempt;
  return {
    number: String(number),
    worker,
    how: outcome === null ? 'running' : (endWord(verdict, neutral) ?? outcome),
    reason: reason ?? '',
    granted: attempt.grantedAt,
    ended: attempt.endedAt,
    logUrl: attempt.logSize === null && outcome !== null ? '' : logPath(run, number),
  };
}
