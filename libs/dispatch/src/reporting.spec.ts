import { errorSignature } from '@proctor/contracts';
import { DispatcherRig } from '@test/support/dispatcher-rig';
import { finishedReport, leaseRequest, startedReport, waitingRun } from '@test/support/runs';

const NEW_LIFE = '00000000-0000-4000-8000-000000000002';

describe('reports in time', () => {
  it('a report of the start is written once, and not after the end', () => {
    const rig = new DispatcherRig([waitingRun(1)]);
    rig.ask();
    const started = () => rig.send({ kind: 'started', report: startedReport(1, 1) });
    const nothing = { writes: [], reply: false };
    expect(started()).toMatchObject({ writes: [{ kind: 'start', runId: 1, attempt: 1 }], reply: true });
    expect(started()).toMatchObject(nothing);
    rig.finish(1);
    expect(started()).toMatchObject(nothing);
  });

  it.each([
    ['fail', true],
    ['pass', false],
    ['neutral', false],
  ] as const)('a report with the verdict %s leaves an error with the run: %s', (verdict, isKept) => {
    const rig = new DispatcherRig([waitingRun(1)]);
    rig.ask();
    const excerpt = { firstLine: 1, errorLine: 1, lines: ['error: /tmp/x is 5'] };
    const [write] = rig.finish(1, { verdict, excerpt }).writes;
    const error = { signature: errorSignature({ lines: ['error: /srv/y is 6'] }), excerpt };
    expect(write).toMatchObject({ kind: 'finish', outcome: { verdict } });
    expect((write as { outcome: object }).outcome).toMatchObject(isKept ? { error } : {});
    if (!isKept) expect((write as { outcome: object }).outcome).not.toHaveProperty('error');
  });

  it('the image that a report names is kept with the run, and nothing where it names none', () => {
    const writeOf = (change: object): object => {
      const rig = new DispatcherRig([waitingRun(1)]);
      rig.ask();
      const [write] = rig.finish(1, change).writes;
      return (write as { outcome: object }).outcome;
    };
    const image = { name: 'unshare/sid/amd64', builtAtMs: 5 };
    expect(writeOf({ image })).toMatchObject({ image });
    expect(writeOf({})).toMatchObject({ image: undefined });
  });

  it('a report of the end finishes the run; a second report is not known', () => {
    const rig = new DispatcherRig([waitingRun(1)]);
    rig.ask();
    const { writes, reply } = rig.finish(1);
    expect(reply).toBe('counts');
    expect(writes).toMatchObject([
      { kind: 'finish', attempt: 1, attemptOutcome: 'finished', worker: 'w1', outcome: { verdict: 'pass' } },
    ]);
    expect(rig.finish(1)).toEqual({ writes: [], reply: 'unknown' });
  });

  it('a report of the latest attempt counts though the run waits again, also from the worker’s next life', () => {
    const rig = new DispatcherRig([waitingRun(1)]);
    rig.ask();
    rig.tick(60_000);
    expect(rig.finish(1, { incarnation: NEW_LIFE }).reply).toBe('counts');
    expect(rig.state.nextDeadlineMs).toBeNull();
    expect(rig.tick(600_000).workWaiting).toBe(false);
  });

  it('a report of an earlier attempt or of another worker changes nothing', () => {
    const rig = new DispatcherRig([waitingRun(1)]);
    rig.ask();
    rig.tick(60_000);
    rig.tick(30_000);
    rig.ask();
    expect(rig.finish(1)).toEqual({ writes: [], reply: 'stale' });
    expect(rig.finish(2, { worker: 'w2' })).toEqual({ writes: [], reply: 'foreign' });
    expect(rig.finish(2).reply).toBe('counts');
  });

  it('a report that may count keeps its run from another slot while its files are stored', () => {
    const rig = new DispatcherRig([waitingRun(1)]);
    rig.ask();
    rig.tick(60_000);
    rig.now += 20_000;
    rig.send({ kind: 'may-finish', report: finishedReport(1, 1) });
    rig.tick(59_999);
    expect(rig.ask({ worker: 'w2' }).reply.lease).toBeNull();
    expect(rig.finish(1).reply).toBe('counts');
  });

  it('a report that cannot be read ends its attempt as failed, and the run in the end', () => {
    const rig = new DispatcherRig([waitingRun(1)]);
    const refuse = (attempt: number, worker = 'w1') =>
      rig.send({ kind: 'report-refused', attempt: { runId: 1, attempt, worker }, reason: 'it is malformed' });
    rig.ask();
    expect(refuse(1, 'w2')).toEqual({ writes: [], reply: 'foreign' });
    expect(refuse(2)).toEqual({ writes: [], reply: 'foreign' });
    const requeue = { kind: 'requeue', outcome: 'failed', reason: 'it is malformed' };
    expect(refuse(1)).toMatchObject({ reply: 'counts', writes: [requeue] });
    expect(refuse(1)).toEqual({ writes: [], reply: 'reported' });
    for (const attempt of [2, 3]) {
      rig.tick(600_000);
      rig.ask();
      if (attempt === 2) expect(refuse(2).reply).toBe('counts');
    }
    const finish = {
      kind: 'finish',
      outcome: { verdict: 'tmpfail', message: 'it is malformed (after 3 attempts)' },
    };
    expect(refuse(3)).toMatchObject({ reply: 'counts', writes: [finish] });
  });

  it('a report that may count frees its slot', () => {
    const rig = new DispatcherRig([waitingRun(1), waitingRun(2)]);
    rig.ask();
    rig.send({ kind: 'may-finish', report: finishedReport(1, 1) });
    expect(
      rig.ask({ incarnation: NEW_LIFE, previous: [leaseRequest().incarnation] }).reply.lease?.runId,
    ).toBe(2);
    expect(rig.finish(1).reply).toBe('counts');
    expect(
      rig.ask({ incarnation: NEW_LIFE, previous: [leaseRequest().incarnation] }).reply.lease?.runId,
    ).toBe(2);
  });
});

describe('late reports', () => {
  const late = { kind: 'late', report: finishedReport(1, 1) } as const;

  it('a report of a run that was ended for lack of it corrects the run, by what it says alone', () => {
    const rig = new DispatcherRig([waitingRun(1)], { retry: { attemptsMax: 1, delayMs: 1, delayMaxMs: 1 } });
    rig.ask();
    expect(rig.tick(60_000).writes).toMatchObject([{ kind: 'finish', attemptOutcome: 'expired' }]);
    expect(rig.send({ kind: 'may-finish', report: late.report }).reply).toBe('unknown');
    const { writes, reply } = rig.send(late);
    expect(reply).toBe('counts');
    expect(writes).toMatchObject([
      {
        kind: 'correct',
        runId: 1,
        attempt: 1,
        worker: 'w1',
        outcome: { verdict: 'pass', message: 'all tests passed' },
      },
    ]);
  });

  it('a report of a run that was ended for lack of it changes nothing while memory does not know that', () => {
    const rig = new DispatcherRig([waitingRun(1)]);
    rig.ask();
    expect(rig.send(late)).toEqual({ writes: [], reply: 'unknown' });
  });
});
