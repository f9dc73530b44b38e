import type { Fact, FactKind, Verdict } from '@proctor/contracts';
import { spansOf, traceIdOf } from './run-spans';

let seconds = 0;

beforeEach(() => (seconds = 0));

/** The next fact of run 7, a second after the one before. */
function fact(kind: FactKind, attempt: number, verdict: Verdict | null = null): Fact {
  seconds += 1;
  const at = new Date(seconds * 1000).toISOString();
  const state = kind === 'finished' || kind === 'cancelled' ? 'finished' : 'queued';
  const rest = {
    arch: 'amd64',
    suite: 'sid',
    state,
    actor: 'scheduler',
    reason: 'of linux',
    verdict,
  } as const;
  return { factId: seconds, runId: 7, kind, attempt, at, ...rest };
}

const shape = (facts: Fact[]) =>
  spansOf(facts).map(({ name, fromMs, toMs, hasFailed }) => [name, fromMs / 1000, toMs / 1000, hasFailed]);

it('a run has a span for each wait and each attempt, and one for all of it', () => {
  const facts = [
    fact('requested', 0),
    fact('granted', 1),
    fact('requeued', 1),
    fact('granted', 2),
    fact('started', 2),
    fact('finished', 2, 'pass'),
  ];
  expect(shape(facts)).toEqual([
    ['run', 1, 6, false],
    ['wait', 1, 2, false],
    ['attempt', 2, 3, true],
    ['prepare', 2, 3, false],
    ['wait', 3, 4, false],
    ['attempt', 4, 6, false],
    ['prepare', 4, 5, false],
    ['execute', 5, 6, false],
  ]);
});

it('a run that was cancelled while it waited has a wait alone', () => {
  expect(shape([fact('requested', 0), fact('cancelled', 0, 'fail')])).toEqual([
    ['run', 1, 2, false],
    ['wait', 1, 2, false],
  ]);
});

it('a result that came late makes the run longer, and no attempt', () => {
  const facts = [
    fact('requested', 0),
    fact('granted', 1),
    fact('finished', 1, 'tmpfail'),
    fact('corrected', 1, 'pass'),
  ];
  expect(shape(facts).map(([name]) => name)).toEqual(['run', 'wait', 'attempt', 'prepare']);
  expect(spansOf(facts)[0]).toMatchObject({ toMs: 4_000, attributes: { 'proctor.verdict': 'pass' } });
});

it('the same facts make the same spans, in the trace that the number of the run gives', () => {
  const facts = [fact('requested', 0), fact('granted', 1), fact('finished', 1, 'pass')];
  expect(spansOf(facts)).toEqual(spansOf(structuredClone(facts)));
  expect(new Set(spansOf(facts).map(({ traceId }) => traceId))).toEqual(new Set([traceIdOf(7)]));
  expect(traceIdOf(7)).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set(spansOf(facts).map(({ spanId }) => spanId)).size).toBe(4);
});

it('a run that has not ended has no trace yet, and no span has a reason', () => {
  expect(spansOf([fact('requested', 0), fact('granted', 1)])).toEqual([]);
  expect(JSON.stringify(spansOf([fact('requested', 0), fact('cancelled', 0, 'fail')]))).not.toContain(
    'linux',
  );
});
