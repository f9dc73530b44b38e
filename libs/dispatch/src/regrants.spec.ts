import { DispatcherRig } from '@test/support/dispatcher-rig';
import { finishedReport, startedReport, waitingRun } from '@test/support/runs';

const TTL_MS = 60_000;
/** The epoch of the rig's dispatcher, and of one that granted the attempt before the database was restored. */
const [EPOCH, FORGOTTEN] = [7, 5];
const OLD = { grantEpoch: FORGOTTEN };

/** Run 1, whose first attempt slot 0 of w1 has, as it had before the database was restored. */
function grantedAgain(): DispatcherRig {
  const rig = new DispatcherRig([waitingRun(1)]);
  expect(rig.ask().reply.lease).toMatchObject({ runId: 1, attempt: 1, grantEpoch: EPOCH });
  return rig;
}

it('an attempt that was granted again is neither renewed nor returned by what is said of the forgotten grant', () => {
  const rig = grantedAgain();
  const old = startedReport(1, 1, OLD);
  expect(rig.send({ kind: 'renew', request: old }).reply).toMatchObject({
    instruction: 'stop',
    reason: 'the database was restored since',
    grantEpoch: FORGOTTEN,
  });
  const { writes, reply } = rig.send({ kind: 'return', request: { ...old, reason: 'not waited for' } });
  expect([writes, reply]).toEqual([[], expect.objectContaining({ returned: false })]);
  expect(rig.send({ kind: 'started', report: old }).writes).toEqual([]);
  expect(rig.tick(TTL_MS).writes).toMatchObject([{ kind: 'requeue', attempt: 1, outcome: 'expired' }]);
});

it('an attempt that was granted again goes on with what is said of itself', () => {
  const rig = grantedAgain();
  const own = startedReport(1, 1, { grantEpoch: EPOCH });
  expect(rig.send({ kind: 'renew', request: own }).reply).toMatchObject({ instruction: 'continue' });
  expect(rig.send({ kind: 'started', report: own }).writes).toMatchObject([{ kind: 'start' }]);
  expect(rig.finish(1, { grantEpoch: EPOCH }).reply).toBe('counts');
});

it('an attempt that was granted again does not end with the result of the forgotten grant, nor with its report that is unreadable', () => {
  const rig = grantedAgain();
  expect(rig.send({ kind: 'may-finish', report: finishedReport(1, 1, OLD) }).reply).toBe('foreign');
  expect(rig.finish(1, OLD)).toEqual({ writes: [], reply: 'foreign' });
  const attempt = { runId: 1, attempt: 1, worker: 'w1', ...OLD };
  const refusal = rig.send({ kind: 'report-refused', attempt, reason: 'malformed' });
  expect(refusal).toEqual({ writes: [], reply: 'foreign' });
});

it('an attempt that was granted again is not awaited for the result of the forgotten grant that waits on the disk of its worker', () => {
  const rig = grantedAgain();
  rig.tick(TTL_MS);
  rig.tick(TTL_MS);
  const keptGrants = [{ runId: 1, attempt: 1, ...OLD }];
  expect(rig.ask({ slot: 1, kept: keptGrants }).reply.lease).toMatchObject({ attempt: 2, grantEpoch: EPOCH });
});

it('an attempt that was granted again is awaited for its own result', () => {
  const rig = grantedAgain();
  rig.tick(TTL_MS);
  rig.tick(TTL_MS);
  const keptGrants = [
    { runId: 1, attempt: 1, ...OLD },
    { runId: 1, attempt: 1, grantEpoch: EPOCH },
  ];
  expect(rig.ask({ slot: 1, kept: keptGrants }).reply.lease).toBeNull();
});

it('an attempt that was granted again expires while only a report of the forgotten grant waits, and not while its own does', () => {
  for (const [grantEpoch, isExpired] of [
    [FORGOTTEN, true],
    [EPOCH, false],
  ] as const) {
    const rig = grantedAgain();
    const worker = 'w1';
    const attempts = [
      { runId: 1, attempt: 1, worker, grantEpoch },
      { runId: 1, attempt: 1, worker, ...OLD },
    ];
    rig.send({ kind: 'reports-waiting', attempts });
    expect(rig.tick(TTL_MS).writes).toHaveLength(isExpired ? 1 : 0);
  }
});

it('a run is corrected by the very grant that a late result is of', () => {
  const rig = new DispatcherRig([]);
  const report = finishedReport(1, 1, { grantEpoch: FORGOTTEN });
  expect(rig.send({ kind: 'late', report }).writes).toMatchObject([
    { kind: 'correct', grantEpoch: FORGOTTEN },
  ]);
});
