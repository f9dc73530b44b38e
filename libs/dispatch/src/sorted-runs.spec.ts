import * as fc from 'fast-check';
import { waitingRun } from '@test/support/runs';
import type { DispatchedRun } from './journal-records';
import { arrivedBefore } from './order';
import { SortedRuns } from './sorted-runs';

/** Runs in another order than that of their ids; some arrived at the same time. */
const run = fc
  .integer({ min: 1, max: 60 })
  .map((runId) => waitingRun(runId, { arrivedAt: ((runId * 7919) % 61) >> 1 }));
const actions = fc.array(
  fc.record({ kind: fc.constantFrom('add', 'add', 'append', 'remove', 'remove first'), run }),
  { maxLength: 150 },
);

it.each([2, 4, 1024])('sorted runs behave as a sorted list, in chunks of %i', (chunkLengthMax) => {
  fc.assert(
    fc.property(actions, run, (sequence, probe) => {
      const runs = new SortedRuns(chunkLengthMax);
      const model = new Set<DispatchedRun>();
      let appended = 1000;
      for (const action of sequence) {
        if (action.kind === 'append') add(waitingRun((appended += 1)));
        else if (action.kind === 'add') add(sameIn(model, action.run) ?? action.run);
        else remove(action.kind === 'remove' ? action.run : runs.first());
        expect([...runs]).toEqual(sorted(model));
        expect([runs.size, runs.first(), runs.last()]).toEqual([
          model.size,
          sorted(model)[0],
          sorted(model).at(-1),
        ]);
      }
      const before = sorted(model).filter((one) => arrivedBefore(one, probe));
      expect(runs.countBefore(probe)).toBe(before.length);

      function add(one: DispatchedRun): void {
        runs.add(one);
        model.add(one);
      }
      function remove(one: DispatchedRun | undefined): void {
        const match = one && sameIn(model, one);
        if (one) expect(runs.remove(one)).toBe(match !== undefined);
        if (match) model.delete(match);
      }
    }),
  );
});

it('sorted runs do not keep a chunk for each run that is left', () => {
  const runs = new SortedRuns(64);
  const all = Array.from({ length: 6_400 }, (_, index) => waitingRun(index + 1));
  for (const one of all) runs.add(one);
  for (const one of all) if (one.runId % 64 !== 0) runs.remove(one);
  const looked = jest.fn((one: DispatchedRun) => one.runId < 3_200);
  expect(runs.countWhile(looked)).toBe(49);
  expect(looked.mock.calls.length).toBeLessThan(12);
  expect((runs as unknown as { chunks: unknown[] }).chunks.length).toBeLessThan(10);
});

function sorted(model: Set<DispatchedRun>): DispatchedRun[] {
  return [...model].sort((a, b) => (arrivedBefore(a, b) ? -1 : 1));
}

function sameIn(model: Set<DispatchedRun>, { runId }: DispatchedRun): DispatchedRun | undefined {
  return [...model].find((one) => one.runId === runId);
}
