import type { RunOutcome, Write } from '@proctor/dispatch';
import { foldStarts, groupsOf, partsOf, runsOf } from './turn-writes';

const requeue = (runId: number): Write => ({
  kind: 'requeue',
  runId,
  attempt: 1,
  outcome: 'expired',
  reason: 'the lease expired',
  result: null,
});
const start = (runId: number): Write => ({ kind: 'start', runId, attempt: 1 });
const outcome: RunOutcome = {
  verdict: 'pass',
  message: '',
  exitCode: 0,
  version: null,
  durationSeconds: 1,
  files: [],
  tests: [],
};
const finish = (runId: number, change: object = {}): Write => ({
  kind: 'finish',
  runId,
  attempt: 1,
  attemptOutcome: 'finished',
  outcome,
  worker: 'w1',
  ...change,
});
const grant = (runId: number): Write => ({
  kind: 'grant',
  runId,
  attempt: 1,
  worker: 'w1',
  incarnation: 'life',
  slot: 0,
});
const usage = (requestor: string, slotMs = 1): Write => ({
  kind: 'usage',
  requestor,
  slotMs,
  publicSlotMs: 0,
});
const judge = (worker: string, reason: string): Write => ({
  kind: 'judge-worker',
  worker,
  standing: 'slowed',
  reason,
});

it('writes of a kind are put together, however they are mixed', () => {
  const writes = [grant(1), start(2), grant(3), start(4), requeue(5), grant(6), usage('ada')];
  expect(groupsOf(writes)).toEqual([
    [grant(1), grant(3), grant(6)],
    [start(2), start(4)],
    [requeue(5)],
    [usage('ada')],
  ]);
  expect(partsOf(groupsOf(writes))).toHaveLength(1);
});

it('writes about one thing keep their order', () => {
  const writes = [
    start(1),
    grant(2),
    start(2),
    grant(1),
    judge('w1', 'a'),
    judge('w2', 'b'),
    judge('w1', 'c'),
  ];
  expect(groupsOf(writes)).toEqual([
    [start(1)],
    [grant(2), grant(1)],
    [start(2)],
    [judge('w1', 'a'), judge('w2', 'b')],
    [judge('w1', 'c')],
  ]);
});

it('a write waits for the answer to an earlier one about the same run', () => {
  const groups = groupsOf([requeue(1), grant(2), grant(1), usage('ada'), start(3), start(2)]);
  expect(partsOf(groups)).toEqual([
    [[requeue(1)]],
    [[grant(2), grant(1)], [usage('ada')]],
    [[start(3), start(2)]],
  ]);
  expect(partsOf([])).toEqual([]);
});

it('each run is named once, ascending', () => {
  expect(runsOf([grant(10), start(9), grant(9), usage('ada')])).toEqual([9, 10]);
});

it('the start of an attempt is put together with its end where both are in one turn', () => {
  const both = { ...finish(1), isStart: true };
  const allWrites = [start(1), grant(2), finish(1), start(3), usage('ada')];
  const { writes, folded } = foldStarts(allWrites);
  expect(writes).toEqual([grant(2), both, start(3), usage('ada')]);
  expect([...folded]).toEqual([[both, [start(1), finish(1)]]]);
});

it.each([
  ['ends for lack of a report', [start(1), finish(1, { attemptOutcome: 'expired', worker: null })]],
  ['ends before it starts', [finish(1), start(1)]],
  ['fails and is tried again', [start(1), requeue(1), grant(1), finish(1)]],
])('the start of an attempt is written by itself when the attempt %s', (_, allWrites) => {
  const { writes, folded } = foldStarts(allWrites);
  expect(writes).toEqual(allWrites);
  expect(folded.size).toBe(0);
});
