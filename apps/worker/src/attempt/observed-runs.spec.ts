import { VirtualClock } from '@test/simulation/world/virtual-clock';
import { leaseOf } from '@test/support/slot-rig';
import { NotStarted, type AttemptResult } from '../slot/ports';
import { ObservedRuns } from './observed-runs';

const KEEPER = { onEnded: () => undefined, saveVerdict: () => Promise.resolve() };
const PASSED = { verdict: 'pass' } as AttemptResult;

it('the observed runs show what is running, for how long, and how the rest has ended', async () => {
  const clock = new VirtualClock();
  const ends: { resolve: (result: AttemptResult) => void; reject: (error: Error) => void }[] = [];
  const run = () => new Promise<AttemptResult>((resolve, reject) => ends.push({ resolve, reject }));
  const runs = new ObservedRuns({ run }, clock);
  const abort = new AbortController();
  const begin = (runId: number) => runs.run(leaseOf(runId), () => undefined, abort.signal, KEEPER);
  const first = begin(1);
  await clock.runUntil(65_000);
  const second = begin(2);
  expect(runs.listPublic()).toMatchObject([
    { run: 1, attempt: 1, seconds: 65 },
    { run: 2, attempt: 1, seconds: 0 },
  ]);

  ends[0]?.resolve(PASSED);
  expect(await first).toBe(PASSED);
  abort.abort();
  ends[1]?.reject(new Error('the run was cancelled'));
  await expect(second).rejects.toThrow('cancelled');
  expect(runs.listPublic()).toEqual([]);
  expect(runs.countEnds()).toEqual({ pass: 1, neutral: 0, fail: 0, tmpfail: 0, absent: 0, none: 1 });
});

it('the observed runs name no private run, nor one that a scheduler does not call public', () => {
  const runs = new ObservedRuns({ run: () => new Promise(() => undefined) }, new VirtualClock());
  const leases = [
    leaseOf(1, { isPrivate: true }),
    leaseOf(2, { isPrivate: undefined }),
    leaseOf(3, { isPrivate: false }),
  ];
  for (const lease of leases) void runs.run(lease, () => undefined, new AbortController().signal, KEEPER);
  expect(runs.listPublic()).toMatchObject([{ run: 3 }]);
  expect(runs.busy).toBe(3);
});

it.each([
  ['cannot be executed', new Error('no space'), false, 'tmpfail'],
  ['goes back', new NotStarted('no image'), false, 'none'],
  ['is cancelled', new Error('cancelled'), true, 'none'],
])('an attempt that %s counts as what it becomes', async (_what, error, isAborted, end) => {
  const abort = new AbortController();
  const runs = new ObservedRuns({ run: () => Promise.reject(error) }, new VirtualClock());
  if (isAborted) abort.abort(error);
  await expect(runs.run(leaseOf(1), () => undefined, abort.signal, KEEPER)).rejects.toBe(error);
  expect(runs.countEnds()).toMatchObject({ [end]: 1 });
});
