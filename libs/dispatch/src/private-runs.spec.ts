import { DispatcherRig } from '@test/support/dispatcher-rig';
import { finishedReport, leaseRequest, registered, SUITE, waitingRun } from '@test/support/runs';
import type { DispatchedRun, RegisteredWorker } from './journal-records';

const PUBLIC_ONLY = registered('w1', 'w2').map((worker) => ({
  ...worker,
  mayRunPrivate: worker.worker === 'w2',
}));
const NONE = PUBLIC_ONLY.map((worker) => ({ ...worker, mayRunPrivate: false }));
const WHY = 'no worker may run private tests';
const rigWith = (runs: Partial<DispatchedRun>[], workers = PUBLIC_ONLY) =>
  new DispatcherRig(
    runs.map((run, place) => waitingRun(place + 1, run)),
    {},
    { workers },
  );

it('a private run goes to a worker that may run private tests, and to no other', () => {
  const rig = rigWith([{ isPrivate: true, priority: 9 }, {}]);
  expect(rig.ask().reply.lease?.runId).toBe(2);
  expect(rig.ask({ slot: 1 }).reply.lease).toBeNull();
  expect(rig.ask({ worker: 'w2' }).reply.lease?.runId).toBe(1);
});

it('a private run waits while no worker may execute it, as those see who may ask about it', () => {
  const rig = rigWith([{ isPrivate: true }, {}], NONE);
  rig.ask();
  rig.ask({ worker: 'w2' });
  expect(rig.explain(1)).toMatchObject({ reasons: [WHY], startsInMs: null });
  expect(rig.ask({ worker: 'w2' }).reply.lease).toBeNull();
});

it('a private run is held back by the state of the workers that may execute it', () => {
  const rig = rigWith([{ isPrivate: true }]);
  rig.ask();
  rig.ask({ worker: 'w2', testbeds: [{ suite: SUITE, backend: 'unshare', state: 'building' }] });
  expect(rig.reasons(1)).toEqual(['worker w2 is building the image trixie/amd64']);
});

it('a private run waits for a worker that may execute it to come, when none has sent a message', () => {
  const rig = rigWith([{ isPrivate: true }]);
  expect(rig.reasons(1)).toEqual(['no worker has requested work on amd64 yet']);
  rig.ask();
  expect(rig.reasons(1)).toEqual([
    'no worker that may run private tests has sent a message in the last 60 s',
  ]);
});

it('a private run does not go elsewhere by preference when only one worker may execute it', () => {
  const rig = rigWith([{ isPrivate: true, failedOn: ['w2'] }]);
  rig.ask();
  expect(rig.ask({ worker: 'w2' }).reply.lease?.runId).toBe(1);
});

it('a private run makes no other worker build an image', () => {
  const rig = rigWith([{ isPrivate: true }]);
  const builds = { testbeds: [], builds: ['unshare'] };
  expect(rig.ask(builds).reply.wanted).toEqual([]);
  expect(rig.ask({ ...builds, worker: 'w2' }).reply.wanted).toEqual([{ suite: SUITE, backend: 'unshare' }]);
});

it('a private run is shown to administrators alone among what a queue waits for', () => {
  const rig = rigWith([{ isPrivate: true }, { attempt: 1 }], NONE);
  rig.ask({ onlyHeld: true });
  const reasonsFor = (everything: boolean) =>
    rig.send({ kind: 'status', request: { everything } }).reply.queues.flatMap(({ reasons }) => reasons);
  expect([reasonsFor(true), reasonsFor(false)]).toEqual([[WHY], []]);
});

it('a private run waits again where its worker may no longer run private tests, once that lease has ended', () => {
  const rig = rigWith([{ isPrivate: true }]);
  rig.ask({ worker: 'w2' });
  rig.send({ kind: 'workers', workers: NONE });
  const { incarnation } = leaseRequest();
  const request = { worker: 'w2', incarnation, slot: 0, runId: 1, attempt: 1 };
  expect(rig.send({ kind: 'renew', request }).reply.instruction).toBe('continue');
  rig.send({ kind: 'return', request: { ...request, reason: 'x' } });
  expect(rig.ask({ worker: 'w2' }).reply.lease).toBeNull();
});

it('a private run counts for whether a worker can be spared: only one that may run private tests takes its place', () => {
  const standingAmong = (workers: RegisteredWorker[]) => {
    const rig = rigWith(
      Array.from({ length: 6 }, (_, place) => ({ package: `p${place}` })),
      workers,
    );
    rig.ask();
    for (let times = 0; times < 3; times += 1) {
      const { lease } = rig.ask({ worker: 'w2' }).reply;
      const report = finishedReport(lease!.runId, lease!.attempt, { worker: 'w2', verdict: 'tmpfail' });
      rig.send({ kind: 'finished', report });
    }
    return rig.state.judgements.standingOf('w2');
  };
  expect(standingAmong(registered('w1', 'w2'))).toBe('quarantined');
  expect(standingAmong(PUBLIC_ONLY)).toBe('slowed');
});

it('a public run waits since all workers take private ones alone, and a private one is granted', () => {
  const rig = new DispatcherRig([waitingRun(1), waitingRun(2, { isPrivate: true })]);
  expect(rig.ask({ privateRunsOnly: true }).reply.lease?.runId).toBe(2);
  expect(rig.reasons()).toEqual(['no worker takes public tests']);
  expect(rig.ask({ slot: 1, privateRunsOnly: true }).reply.lease).toBeNull();
  expect(rig.ask({ slot: 1 }).reply.lease?.runId).toBe(1);
});
