import { ActorRig, POLL_MS } from '@test/support/actor-rig';
import { ARCH, finishedReport, startedReport } from '@test/support/runs';
import { silenceLog } from '@test/support/silent-log';

silenceLog();

describe('the register of workers', () => {
  let rig: ActorRig;

  beforeEach(() => (rig = new ActorRig()));
  afterEach(() => rig.end());

  const refusal = async () => (await rig.ask()).refused;

  it.each([
    ['at a command', 0],
    ['at the next poll, when the command is lost', POLL_MS],
  ])('the leases of a revoked worker end %s, and nothing is granted to it', async (_when, ms) => {
    const runId = rig.accept();
    await rig.start();
    expect((await rig.ask()).lease?.runId).toBe(runId);
    rig.signalled.mockReset();
    rig.books.register.revoke('w1', 'ada');
    if (ms === 0) rig.actor.readOrdersSoon();
    await rig.time(ms);
    expect(rig.books.look(runId)).toMatchObject({ state: 'queued', attempts: [{ outcome: 'returned' }] });
    const reason = 'worker w1 was revoked by ada';
    expect(rig.stopSignalled.mock.calls).toEqual([
      [{ worker: 'w1', runId, attempt: 1, grantEpoch: rig.term.epoch, reason }],
    ]);
    expect(rig.signalled).toHaveBeenCalledWith(ARCH, null);
    expect(await refusal()).toContain('worker w1 was revoked');
    expect(rig.books.decisions.waiting()).toEqual([]);
  });

  it('a dispatcher accepts a worker that was added, and reads at its start which ones were revoked before', async () => {
    rig.books.register.revoke('w1', 'ada');
    await rig.start();
    expect(await refusal()).toContain('worker w1 was revoked');
    rig.books.register.add('w1', [ARCH], false);
    await rig.time(POLL_MS);
    expect(await refusal()).toBeUndefined();
    rig.books.register.add('w1', ['arm64'], false);
    await rig.time(POLL_MS);
    expect(await refusal()).toBe('worker w1 is not registered for amd64, but for arm64');
  });

  it('a dispatcher reports which workers may report, at its start and after each change', async () => {
    rig.books.register.revoke('w1', 'ada');
    await rig.start();
    expect(rig.onWorkersRegistered).toHaveBeenLastCalledWith(ARCH, ['w2']);
    rig.books.register.add('w3', [ARCH], false);
    rig.books.register.add('w4', ['arm64'], false);
    await rig.time(POLL_MS);
    expect(rig.onWorkersRegistered).toHaveBeenLastCalledWith(ARCH, ['w2', 'w3']);
  });

  it('a dispatcher uses the last register that it read when it cannot read it, and reads it again', async () => {
    let failures = 1;
    await rig.start({
      workers: () => (failures-- > 0 ? Promise.reject(new Error('no')) : rig.books.workers()),
    });
    rig.books.register.revoke('w1', 'ada');
    rig.actor.readOrdersSoon();
    await rig.time(0);
    expect(await refusal()).toBeUndefined();
    await rig.time(1_000);
    expect(await refusal()).toContain('worker w1 was revoked');
  });

  it('a dispatcher reports which workers it has seen, and why one was refused, once that is committed', async () => {
    const runId = rig.accept();
    await rig.start();
    await rig.ask();
    await rig.actor.request({ kind: 'started', report: startedReport(runId, 1) });
    rig.books.register.revoke('w1', 'ada');
    rig.actor.readOrdersSoon();
    await rig.time(0);
    await rig.actor.request({ kind: 'finished', report: finishedReport(runId, 1) });
    await rig.actor.request({ kind: 'explain', runId });
    const sighting = { worker: 'w1', refusal: null };
    const refusedSighting = {
      worker: 'w1',
      refusal: expect.stringContaining('worker w1 was revoked') as string,
    };
    expect(rig.recordSightings.mock.calls.flat().filter(({ length }) => length > 0)).toEqual([
      [sighting],
      [sighting],
      [refusedSighting],
    ]);
    expect(rig.books.look(runId)).toMatchObject({ state: 'queued' });
  });
});
