import { DispatcherRig } from '@test/support/dispatcher-rig';
import { waitingRun } from '@test/support/runs';

const CAPS = { perRequestorMax: Infinity, perPackageMax: 1, perSuiteMax: Infinity };

it('suite queues have one run of each bucket looked at, however many wait', () => {
  const runs = Array.from({ length: 10_000 }, (_, index) =>
    waitingRun(index + 1, { requestor: index % 2 ? 'ada' : 'bob', priority: 1 + (index % 5) }),
  );
  const rig = new DispatcherRig(runs, { ageing: { stepMs: 1_000, stepsMax: 9 } });
  const looked = jest.spyOn(rig.state.ageing, 'levelOf');
  rig.ask();
  expect(looked).toHaveBeenCalledTimes(10);
});

it('suite queues forget lanes and suites that nothing waits in', () => {
  const rig = new DispatcherRig([waitingRun(1), waitingRun(2, { suite: 'sid' })]);
  rig.ask();
  rig.state.cancel(2, 'not needed', rig.now);
  expect([...rig.state.waiting.queues.usedLanes()]).toEqual([]);
  expect([...rig.state.waiting.queues.all()]).toEqual([]);
});

describe('packages at their cap', () => {
  const gcc = (runId: number) => waitingRun(runId, { package: 'gcc' });
  const lengthOf = (rig: DispatcherRig) => [...rig.state.waiting.queues.usedLanes()][0]?.size;

  it('runs of a package at its cap let others of the same bucket go, and are parked without another look', () => {
    const runs = [...Array.from({ length: 1_000 }, (_, index) => gcc(index + 1)), waitingRun(1_001)];
    const rig = new DispatcherRig(runs, { caps: CAPS });
    expect(rig.ask().reply.lease?.runId).toBe(1);
    expect(rig.ask({ slot: 1 }).reply.lease?.runId).toBe(1_001);
    const lookUps = jest.spyOn(rig.state.leases.ofPackage, 'of');
    expect(rig.ask({ slot: 2 }).reply.lease).toBeNull();
    expect(lookUps).not.toHaveBeenCalled();
    expect(lengthOf(rig)).toBe(999);
  });

  it('runs of a package at its cap go on in the order of arrival when one ends, with a look at one each time', () => {
    const rig = new DispatcherRig([3, 1, 2, 4].map(gcc), { caps: CAPS });
    for (const runId of [1, 2, 3, 4]) {
      expect(rig.ask().reply.lease?.runId).toBe(runId);
      expect(rig.ask({ slot: 1 }).reply.lease).toBeNull();
      expect(lengthOf(rig) ?? 0).toBe(4 - runId);
      rig.state.cancel(runId, 'not needed', rig.now);
    }
  });

  it('the next run of a package at its cap comes forward when one leaves that was about to go', () => {
    const rig = new DispatcherRig([1, 2, 3, 4].map(gcc), { caps: { ...CAPS, perPackageMax: 2 } });
    rig.ask();
    rig.ask({ slot: 1 });
    rig.ask({ slot: 2 });
    rig.state.cancel(1, 'not needed', rig.now);
    rig.state.cancel(3, 'not needed', rig.now);
    expect(rig.ask({ slot: 2 }).reply.lease?.runId).toBe(4);
  });

  it('a parked run of a package at its cap can leave its queue', () => {
    const rig = new DispatcherRig([1, 2, 3].map(gcc), { caps: CAPS });
    rig.ask();
    rig.ask({ slot: 1 });
    rig.state.cancel(2, 'not needed', rig.now);
    expect(lengthOf(rig)).toBe(1);
    rig.state.cancel(1, 'not needed', rig.now);
    expect(rig.ask().reply.lease?.runId).toBe(3);
  });

  it('the runs of a package at its cap may all go when the cap is lifted', () => {
    const rig = new DispatcherRig([1, 2, 3].map(gcc), { caps: CAPS });
    rig.ask();
    rig.ask({ slot: 1 });
    const caps = { ...CAPS, perPackageMax: Infinity };
    rig.send({ kind: 'settings', settings: { ...rig.state.settings, caps } });
    expect([1, 2].map((slot) => rig.ask({ slot }).reply.lease?.runId)).toEqual([2, 3]);
  });
});
