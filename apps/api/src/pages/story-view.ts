import type { Fact, FactKind } from '@proctor/contracts';
import type { Explanation } from '../dispatchers/explanation.service';
import { statusOf } from '../results/result-object';
import { utc } from './run-view';

const WHAT: Record<FactKind, string> = {
  requested: 'requested',
  granted: 'given to a worker',
  started: 'started',
  requeued: 'waits again',
  finished: 'finished',
  cancelled: 'cancelled',
  reprioritised: 'got another priority',
  published: 'made public',
};

/** One thing that happened to a run as its page writes it: every value is a text. */
export function factView({ kind, attempt, actor, reason, verdict, at }: Fact, neutral: 'pass' | 'neutral') {
  const status = statusOf(verdict, neutral);
  return {
    at: utc(new Date(at)),
    what: status ? `${WHAT[kind]}: ${status}` : WHAT[kind],
    attempt: attempt === 0 ? '' : String(attempt),
    actor,
    reason: reason ?? '',
  };
}

/** Where a waiting run stands, in one sentence, and why. */
export function waitView({ position, ahead, estimatedStart, reasons }: Explanation) {
  const place = position === null ? 'for its turn' : `at position ${position}`;
  const before = ahead === null ? '' : `; ${ahead === 1 ? '1 run goes' : `${ahead} runs go`} before it`;
  const start = estimatedStart ? `; it is expected to start at ${utc(estimatedStart)}` : '';
  return { sentence: `This run waits ${place}${before}${start}${reasons.length > 0 ? ':' : '.'}`, reasons };
}
