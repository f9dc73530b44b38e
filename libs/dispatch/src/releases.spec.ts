import { DispatcherRig } from '@test/support/dispatcher-rig';
import { waitingRun } from '@test/support/runs';

const TOO_OLD = (program: string, protocol: number) =>
  `${program} is too old: it speaks protocol ${protocol}, and 2 is the oldest that gets runs; upgrade it`;

const OLD = [
  ['says nothing of its protocol', {}, TOO_OLD('its program', 1)],
  ['names an older protocol', { protocol: 1, version: '0.9' }, TOO_OLD('its program, version 0.9,', 1)],
] as const;

it.each(OLD)('a worker that %s gets runs unless the deployment wants newer ones', (_what, release) => {
  expect(new DispatcherRig([waitingRun(1)]).ask(release).reply.lease?.runId).toBe(1);
});

describe.each(OLD)('a worker that %s where a newer one is wanted', (_what, release, reason) => {
  it('a worker that is too old is granted nothing, builds nothing, and gets the reason', () => {
    const rig = new DispatcherRig([waitingRun(1)], { workerProtocolMin: 2 });
    const absent = { testbeds: [], builds: ['unshare'] };
    for (const offer of [{}, absent, { onlyHeld: true }]) {
      const { writes, reply, refusal } = rig.ask({ ...release, ...offer });
      expect([writes, refusal]).toEqual([[], reason]);
      expect(reply).toMatchObject({ lease: null, wanted: [], refused: reason });
    }
  });

  it('a worker that is too old is shown with its release, and is why runs wait', () => {
    const rig = new DispatcherRig([waitingRun(1)], { workerProtocolMin: 2 });
    rig.ask(release);
    const [worker] = rig.send({ kind: 'status' }).reply.workers;
    expect(worker).toMatchObject({ worker: 'w1', problem: reason, protocol: 1, ...release });
    expect(rig.reasons()).toEqual([`worker w1: ${reason}`]);
  });

  it('a worker that became too old ends what it executes', () => {
    const rig = new DispatcherRig([waitingRun(1)]);
    rig.ask(release);
    rig.send({ kind: 'settings', settings: { ...rig.state.settings, workerProtocolMin: 2 } });
    expect(rig.ask(release).reply).toMatchObject({ lease: { runId: 1, attempt: 1 } });
    expect(rig.ask({ ...release, slot: 1 }).reply).toMatchObject({ lease: null, refused: reason });
  });
});

it('a worker of a later release gets runs, whatever features it names', () => {
  const rig = new DispatcherRig([waitingRun(1)], { workerProtocolMin: 2 });
  const { reply } = rig.ask({ protocol: 7, features: ['teleports', 'wakeable'], version: '9.1~rc1' });
  expect(reply).toMatchObject({
    lease: { runId: 1 },
    features: ['result-indexes', 'absent-verdict', 'source-names'],
  });
  expect(rig.send({ kind: 'status' }).reply.workers).toMatchObject([{ version: '9.1~rc1', protocol: 7 }]);
});
