import type { Fact } from '@proctor/contracts';
import { factView, testView, waitView } from './story-view';

const fact = (changes: Partial<Fact>): Fact => ({
  factId: 1,
  runId: 7,
  arch: 'amd64',
  suite: 'sid',
  kind: 'requested',
  state: 'queued',
  attempt: 0,
  actor: 'user alice',
  reason: null,
  verdict: null,
  at: '2026-11-20T15:40:51.123Z',
  ...changes,
});

it('a fact is described in words', () => {
  expect(factView(fact({}), 'pass')).toEqual({
    at: new Date('2026-11-20T15:40:51.123Z'),
    what: 'requested',
    attempt: '',
    actor: 'user alice',
    reason: '',
  });
  const end = fact({
    kind: 'finished',
    attempt: 2,
    verdict: 'neutral',
    actor: 'worker w1',
    reason: 'x',
  });
  expect(factView(end, 'pass')).toMatchObject({ what: 'finished: pass', attempt: '2', reason: 'x' });
  expect(factView(end, 'neutral')).toMatchObject({ what: 'finished: neutral' });
  const cancelled = fact({ kind: 'cancelled', verdict: 'tmpfail' });
  expect(factView(cancelled, 'pass')).toMatchObject({ what: 'cancelled' });
});

it('a test is described with its name and its detail', () => {
  expect(testView({ name: 'unit', status: 'PASS', detail: null })).toEqual({
    name: 'unit',
    status: 'PASS',
    detail: '',
  });
  expect(testView({ name: '*', status: 'SKIP', detail: 'no tests' })).toEqual({
    name: 'the whole package',
    status: 'SKIP',
    detail: 'no tests',
  });
});

it.each([
  [
    {
      position: 3,
      ahead: 2,
      estimatedStart: new Date('2026-11-20T16:00:00Z'),
      reasons: ['all slots are busy'],
    },
    'This run waits at position 3, behind 2 other runs. It is expected to start in 7\u00a0min to 15\u00a0min.',
  ],
  [
    { position: 1, ahead: 0, estimatedStart: new Date('2026-11-20T15:50:30Z'), reasons: [] },
    'This run waits at position 1. It is expected to start within 1\u00a0min.',
  ],
  [
    { position: 2, ahead: 1, estimatedStart: null, reasons: [] },
    'This run waits at position 2, behind 1 other run.',
  ],
  [
    { position: null, ahead: null, estimatedStart: null, reasons: ['no scheduler answers for amd64'] },
    'This run waits for its turn.',
  ],
])('a waiting run is explained in a sentence', (explanation, sentence) => {
  expect(waitView(explanation, new Date('2026-11-20T15:50:00Z'))).toEqual({
    sentence,
    reasons: explanation.reasons,
  });
});
