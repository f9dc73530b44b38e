import { createHash } from 'node:crypto';
import { END_KINDS, type Fact, type FactKind } from '@proctor/contracts';

/** A part of a run's time. */
export interface RunSpan {
  name: 'run' | 'wait' | 'attempt' | 'prepare' | 'execute';
  traceId: string;
  spanId: string;
  parentId: string | null;
  /** Milliseconds since the epoch. */
  fromMs: number;
  toMs: number;
  attributes: Record<string, string | number>;
  /** Whether it ended without a result. */
  hasFailed: boolean;
}

/** Facts that end an attempt. */
const ENDS: readonly FactKind[] = ['requeued', ...END_KINDS];

/** The id of a run's trace, computed from the run's number. */
export function traceIdOf(runId: number): string {
  return hash(`run ${runId}`, 32);
}

/**
 * The trace of a finished run, only from its facts: the same facts always make the same spans. No span names a
 * package or the reason of a failure, which could reveal a private run.
 * @param facts of one run, in order
 * @returns empty if the run has not ended
 */
export function spansOf(facts: Fact[]): RunSpan[] {
  const [first] = facts;
  const last = facts.findLast(({ kind }) => END_KINDS.includes(kind));
  if (!first || !last) return [];
  const root = spanOf('run', first, last, null, {
    'proctor.run_id': first.runId,
    'proctor.arch': first.arch,
    'proctor.suite': first.suite,
    'proctor.verdict': last.verdict ?? 'none',
    'proctor.attempts': last.attempt,
  });
  root.hasFailed = last.verdict === 'tmpfail';
  const spans = [root];
  let waitsSince: Fact | null = first;
  let granted: Fact | null = null;
  let started: Fact | null = null;
  for (const fact of facts) {
    if (fact.kind === 'granted') {
      if (waitsSince) spans.push(spanOf('wait', waitsSince, fact, root, {}));
      [waitsSince, granted, started] = [null, fact, null];
    } else if (fact.kind === 'started') started = fact;
    else if (ENDS.includes(fact.kind)) {
      if (granted) spans.push(...attemptSpans(granted, started, fact, root));
      else if (waitsSince && fact.kind !== 'requeued') spans.push(spanOf('wait', waitsSince, fact, root, {}));
      [waitsSince, granted, started] = [fact.kind === 'requeued' ? fact : null, null, null];
    }
  }
  return spans;
}

function attemptSpans(granted: Fact, started: Fact | null, end: Fact, root: RunSpan): RunSpan[] {
  const attempt = spanOf('attempt', granted, end, root, {
    'proctor.attempt': granted.attempt,
    'proctor.end': end.kind,
    'proctor.verdict': end.verdict ?? 'none',
  });
  attempt.hasFailed = end.kind === 'requeued' || end.verdict === 'tmpfail';
  const prepare = spanOf('prepare', granted, started ?? end, attempt, {});
  return started ? [attempt, prepare, spanOf('execute', started, end, attempt, {})] : [attempt, prepare];
}

function spanOf(
  name: RunSpan['name'],
  from: Fact,
  to: Fact,
  parent: RunSpan | null,
  attributes: RunSpan['attributes'],
): RunSpan {
  return {
    name,
    traceId: traceIdOf(from.runId),
    spanId: hash(`${name} ${from.runId} ${from.factId}`, 16),
    parentId: parent?.spanId ?? null,
    fromMs: Date.parse(from.at),
    toMs: Date.parse(to.at),
    attributes,
    hasFailed: false,
  };
}

function hash(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}
