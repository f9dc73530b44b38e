import { VirtualClock } from '../../../../test/simulation/world/virtual-clock';
import { leaseOf } from '../../../../test/support/slot-rig';
import type { AttemptResult } from '../slot/ports';
import { ObservedRuns } from './observed-runs';

const PASSED = { verdict: 'pass' } as AttemptResult;

test('it knows what is under way, for how long, and how the rest has ended', async () => {
  const clock = new VirtualClock();
  const ends: { resolve: (result: AttemptResult) => void; reject: (error: Error) => void }[] = [];
  const run = () => new Promise<AttemptResult>((resolve, reject) => ends.push({ resolve, reject }));
  const runs = new ObservedRuns({ run }, clock);
  const begin = (runId: number) => {
    return runs.run(leaseOf(runId), () => undefined, new AbortController().signal);
  };
  const first = begin(1);
  await clock.runUntil(65_000);
  const second = begin(2);
  expect(runs.current()).toMatchObject([
    { run: 1, attempt: 1, seconds: 65 },
    { run: 2, attempt: 1, seconds: 0 },
  ]);

  ends[0]?.resolve(PASSED);
  expect(await first).toBe(PASSED);
  ends[1]?.reject(new Error('the run was cancelled'));
  await expect(second).rejects.toThrow('cancelled');
  expect(runs.current()).toEqual([]);
  expect(runs.ended()).toEqual({ pass: 1, neutral: 0, fail: 0, tmpfail: 0, none: 1 });
});
