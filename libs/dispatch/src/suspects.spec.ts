import { BlameRig, MINUTE_MS, numbered } from '@test/support/blame-rig';
import { finishedReport, waitingRun } from '@test/support/runs';
import type { DispatchedRun } from './journal-records';

const DAY_MS = 1_440 * MINUTE_MS;

function bad(runId: number, changes: Partial<DispatchedRun> = {}): DispatchedRun {
  return waitingRun(runId, { package: 'bad', ...changes });
}

/** On w1, run 1 of the package bad fails once, then a run of another package passes. */
function suspecting(runs: DispatchedRun[], first = bad(1)): BlameRig {
  const rig = new BlameRig({ runs: [first, numbered(2)] });
  rig.execute('w1', 'tmpfail');
  rig.execute('w1', 'pass');
  rig.send({ kind: 'arrivals', runs });
  return rig;
}

const granted = (rig: BlameRig, slot = 0): number | undefined => rig.ask({ slot }).reply.lease?.runId;

it('a suspected package lets other packages go first, whatever its priority, but for its turn', () => {
  const rig = suspecting([bad(11, { priority: 9 }), numbered(12), numbered(13), numbered(14)]);
  const first = rig.ask().reply;
  expect(first.lease?.runId).toBe(11);
  expect(granted(rig, 1)).toBe(12);
  rig.now += 20_000;
  rig.end('w1', first, 'tmpfail');
  rig.send({ kind: 'arrivals', runs: [bad(15, { priority: 9 })] });
  expect(granted(rig)).toBe(13);
  rig.now += 3 * 20_000;
  expect(granted(rig, 2)).toBe(15);
});

it('a suspected package goes when nothing else waits', () => {
  const rig = suspecting([bad(11), bad(12), bad(13)]);
  expect([0, 1, 2, 3].map((slot) => granted(rig, slot))).toEqual([11, 12, 13, undefined]);
});

it('a run of a suspected package waits for that reason, until the next result of its package', () => {
  const rig = suspecting([bad(11), numbered(12), bad(13)]);
  const reason =
    'its package failed once on workers where other packages have results, so other packages go first';
  expect(rig.reasons(13)).toContain(reason);
  rig.execute('w1', 'pass');
  expect(rig.state.suspects.isEmpty).toBe(true);
  expect(rig.reasons(13)).not.toContain(reason);
});

it('a package is not suspected for what failed before its latest result, wherever that was', () => {
  const rig = new BlameRig({ runs: [bad(1, { priority: 9 }), numbered(2), bad(3, { priority: 9 })] });
  const onOther = rig.ask({ worker: 'w2' }).reply;
  rig.execute('w1', 'tmpfail');
  rig.end('w2', onOther, 'pass');
  rig.execute('w1', 'pass');
  expect(rig.state.suspects.isEmpty).toBe(true);
});

it('a package is suspected for what failed after its latest result', () => {
  const rig = new BlameRig({ runs: [bad(1, { priority: 9 }), numbered(2), bad(3, { priority: 9 })] });
  rig.execute('w2', 'pass');
  rig.execute('w1', 'tmpfail');
  rig.execute('w1', 'pass');
  expect(rig.state.suspects.occasionsOf(bad(9))).toBe(1);
});

it('a package is not suspected for an attempt whose result comes late', () => {
  const rig = new BlameRig({ runs: [bad(1, { attemptsLost: 98 }), numbered(2)] });
  const { lease } = rig.ask().reply;
  expect(rig.tick(MINUTE_MS).writes).toMatchObject([{ kind: 'finish', attemptOutcome: 'expired' }]);
  rig.execute('w1', 'pass');
  expect(rig.state.suspects.occasionsOf(bad(9))).toBe(1);
  rig.send({ kind: 'late', report: finishedReport(1, lease!.attempt) });
  expect(rig.state.suspects.isEmpty).toBe(true);
});

it('a suspected package is forgotten after a day', () => {
  const rig = suspecting([bad(11, { priority: 9 }), numbered(12)]);
  const blamed = rig.state.runs.find(11)!;
  rig.now += DAY_MS - 1;
  rig.ask({ testbeds: [] });
  expect(rig.state.suspects.has(blamed)).toBe(true);
  rig.now += 1;
  rig.ask({ testbeds: [] });
  expect(rig.state.suspects.has(blamed)).toBe(false);
});

it('a package is not suspected for the private runs of another requestor, nor theirs for its own', () => {
  const rig = suspecting([bad(11)], bad(1, { isPrivate: true, requestor: 'eve' }));
  const has = (changes: Partial<DispatchedRun>) => rig.state.suspects.has(bad(9, changes));
  expect(has({})).toBe(false);
  expect(has({ isPrivate: true, requestor: 'ada' })).toBe(false);
  expect(has({ isPrivate: true, requestor: 'eve' })).toBe(true);
});

it('a package is neither cleared nor blamed by a result of the private runs of another requestor', () => {
  const eves = { isPrivate: true, requestor: 'eve' };
  const runs = [bad(1), numbered(2), bad(3, eves), bad(4), numbered(5, eves)];
  const rig = new BlameRig({ runs });
  rig.execute('w1', 'tmpfail');
  rig.execute('w1', 'pass');
  rig.execute('w1', 'pass');
  expect(rig.state.suspects.occasionsOf(bad(9))).toBe(1);
  rig.execute('w1', 'pass');
  expect(rig.state.suspects.isEmpty).toBe(true);
  const other = new BlameRig({ runs: [bad(1), numbered(2, eves)] });
  other.execute('w1', 'tmpfail');
  other.execute('w1', 'pass');
  expect(other.state.suspects.isEmpty).toBe(true);
});

it('a package that was suspected three times gets one attempt a run, and the run says why', () => {
  const rig = new BlameRig({ runs: [] });
  const play = (run: DispatchedRun, verdict: 'pass' | 'tmpfail', trouble?: 'archive') => {
    rig.send({ kind: 'arrivals', runs: [{ ...run, priority: 9 }] });
    return rig.execute('w1', verdict, trouble);
  };
  for (let round = 1; round <= 3; round += 1) {
    expect(play(bad(round), 'tmpfail')).toMatchObject([{ kind: 'requeue' }]);
    play(numbered(round + 100), 'pass');
    rig.now += 10 * MINUTE_MS;
  }
  expect(play(bad(11), 'tmpfail', 'archive')).toMatchObject([{ kind: 'requeue' }]);
  rig.now += 10 * MINUTE_MS;
  const message =
    'the testbed failed (not tried again: its package failed 3 times on workers where other packages have results)';
  expect(play(bad(12), 'tmpfail')).toMatchObject([
    { kind: 'finish', runId: 12, outcome: { verdict: 'tmpfail', message } },
  ]);
  play(bad(13), 'pass');
  expect(play(bad(14), 'tmpfail')).toMatchObject([{ kind: 'requeue' }]);
});

it('what failed before a canary test failed is not held against its package', () => {
  const rig = new BlameRig();
  rig.fail('w1', 3);
  rig.sendCanary('w1', rig.ask().reply, false);
  rig.now += 10 * MINUTE_MS;
  rig.execute('w1', 'pass');
  expect(rig.state.suspects.isEmpty).toBe(true);
});

it('what failed before a canary test passed is held against its package', () => {
  const rig = new BlameRig();
  rig.fail('w1', 3);
  rig.sendCanary('w1', rig.ask().reply, true);
  for (const runId of [1, 2, 3]) expect(rig.state.suspects.occasionsOf(rig.state.runs.find(runId)!)).toBe(1);
});

it('a result of an attempt that began before the canary test failed does not clear the worker', () => {
  const rig = new BlameRig();
  const { lease } = rig.ask({ slot: 7 }).reply;
  rig.fail('w1', 3);
  const { reply } = rig.ask();
  rig.now += 1_000;
  rig.sendCanary('w1', reply, false);
  rig.send({ kind: 'finished', report: finishedReport(lease!.runId, lease!.attempt, { slot: 7 }) });
  expect(rig.standing('w1')).toBe('slowed');
});
