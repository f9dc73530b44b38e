import * as fc from 'fast-check';
import { waitingRun } from '../../../test/support/runs';
import type { DispatchedRun } from './journal';
import { goesBefore } from './order';
import { SuiteQueues } from './suite-queue';

const runs = fc.uniqueArray(
  fc.record({
    runId: fc.integer({ min: 1, max: 1000 }),
    suite: fc.constantFrom('sid', 'trixie'),
    backend: fc.constantFrom('unshare', 'qemu'),
    variant: fc.constantFrom('autopkgtest', 'stub'),
    priority: fc.integer({ min: 1, max: 10 }),
    arrivedAt: fc.nat(5),
  }),
  { selector: ({ runId }) => runId, maxLength: 60 },
);
const kinds = fc.constantFrom('sid', 'unshare', 'stub', 'trixie', 'qemu', 'autopkgtest');

describe('SuiteQueues', () => {
  it('hands out all runs that a slot can execute, in order, whatever waits beside them', () => {
    fc.assert(
      fc.property(runs, fc.uniqueArray(kinds), (changes, refused) => {
        const all = changes.map((change) => waitingRun(change.runId, change));
        const can = (...words: string[]) => !refused.some((word) => words.includes(word));
        const queues = new SuiteQueues();
        for (const run of all) queues.add(run);
        const handedOut: DispatchedRun[] = [];
        for (let best = queues.best(can); best; best = queues.best(can)) {
          expect(queues.countBefore(best)).toBe(countLeft(all, handedOut, best));
          expect(queues.remove(best)).toBe(true);
          handedOut.push(best);
        }
        expect(handedOut).toEqual(
          all
            .filter((run) => can(run.suite, run.backend, run.variant))
            .sort((a, b) => (goesBefore(a, b) ? -1 : 1)),
        );
      }),
    );
  });

  it('looks at one run for each lane, however many wait', () => {
    const queues = new SuiteQueues();
    for (let runId = 1; runId <= 10_000; runId += 1) {
      queues.add(waitingRun(runId, { backend: runId % 2 ? 'qemu' : 'unshare' }));
    }
    const looked = jest.fn().mockReturnValue(true);
    queues.best(looked);
    expect(looked).toHaveBeenCalledTimes(2);
  });

  it('forgets lanes and suites that nothing waits in', () => {
    const queues = new SuiteQueues();
    const run = waitingRun(1);
    queues.add(run);
    queues.remove(run);
    expect([...queues.usedLanes()]).toEqual([]);
    expect(queues.remove(run)).toBe(false);
  });
});

function countLeft(all: DispatchedRun[], handedOut: DispatchedRun[], run: DispatchedRun): number {
  return all.filter((other) => !handedOut.includes(other) && goesBefore(other, run)).length;
}
