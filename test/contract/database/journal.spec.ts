import { connectTo } from '@test/support/database';
import { workerKey } from '@test/support/worker-register';
import { journalContract } from '../journal.contract';
import { ARCH, finish, grant, outcome, request, requeue } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());

/** Ends what was owned before, so that the epoch rises. */
async function takeOver(arch: string): Promise<number> {
  await fixture.database.ownershipRegister.release(arch, 'scheduler-1');
  return (await fixture.database.ownershipRegister.claim(arch, 'scheduler-1', 60_000))!.epoch;
}

const SLOW_INSERT = `
  insert into runs (package, suite, arch, backend, variant, priority, pin_packages, extra_apt_sources, is_private,
    requestor_id, api_key_id, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, '[]', '[]', false, $7, $8, clock_timestamp(), clock_timestamp())
  returning run_id as "runId"`;

const EMPTY = `truncate runs, attempts, orders, dispatchers, facts, pauses, drains, worker_judgements,
  package_durations, usage, workers`;

journalContract('PostgresJournal', async () => {
  await fixture.client.query(EMPTY);
  const { journal, decisions, facts, workerRegister } = fixture.database;
  const ada = { userId: fixture.submitter.userId, userName: 'ada' };
  return {
    journal,
    submit: (requests) => fixture.database.submissions.submit(requests, fixture.submitter),
    submitSlowly: async (run) => {
      const slow = await connectTo(fixture.url);
      await slow.query('begin');
      const { rows } = await slow.query<{ runId: number }>(SLOW_INSERT, [
        ...[run.package, run.suite, run.arch, run.backend, run.variant, run.priority],
        ...[fixture.submitter.userId, fixture.submitter.keyId],
      ]);
      const commit = async () => {
        await slow.query('commit');
        await slow.end();
      };
      return { runId: rows[0]!.runId, commit };
    },
    takeOver,
    cancel: async (runId, userName) => {
      const { userId } = (await fixture.database.users.find(userName))!;
      await fixture.database.cancellations.cancel(runId, { userId, userName });
    },
    reprioritise: async (runId, priority, userName, reason) => {
      const { userId } = (await fixture.database.users.find(userName))!;
      const changedIds = await decisions.reprioritise(
        { runIds: [runId] },
        priority,
        { userId, userName },
        reason,
      );
      return changedIds.length === 1;
    },
    publish: async (runId) => {
      await fixture.database.publications.publish([runId], fixture.submitter.keyId);
    },
    pause: async (scope, reason) => void (await decisions.pause(scope, ada, reason)),
    resume: (scope) => decisions.resume(scope, ada, 'done'),
    drain: async (worker, reason) => void (await decisions.drain(worker, ada, reason)),
    undrain: (worker) => decisions.undrain(worker, ada, 'done'),
    addWorker: async (name, architectures, mayRunPrivate) =>
      void (await workerRegister.add({ name, publicKey: workerKey(), architectures, mayRunPrivate }, ada)),
    revokeWorker: async (name, reason) => void (await workerRegister.revoke(name, ada, reason)),
    trust: async (worker, reason) => void (await decisions.trust(worker, ada, reason)),
    story: (runId) => facts.ofRun(runId),
    listUnpublished: (arch, limit) => facts.listUnpublished(arch, limit),
    markPublished: (publishedFacts) => facts.markPublished(publishedFacts),
    look: async (runId) => {
      const { state, attempt, verdict, message, version, exitCode, worker, durationSeconds } =
        (await fixture.database.results.find(runId))!;
      const tests = await fixture.database.results.testsOf(runId);
      return { state, attempt, verdict, message, version, exitCode, worker, durationSeconds, tests };
    },
    close: () => Promise.resolve(),
  };
});

describe('tables', () => {
  let epoch: number;
  let runId: number;

  beforeEach(async () => {
    await fixture.client.query(EMPTY);
    epoch = await takeOver(ARCH);
    [runId] = (await fixture.database.submissions.submit([request()], fixture.submitter)) as [number];
  });

  const attempts = async () =>
    (await fixture.client.query<Record<string, unknown>>('select * from attempts order by attempt')).rows;

  it('PostgresJournal in its tables keeps a row of each attempt: who, under which epoch, when and how it ended', async () => {
    await fixture.database.journal.commit(ARCH, epoch, [
      grant(runId, 1, 4),
      { kind: 'start', runId, attempt: 1 },
    ]);
    await fixture.database.journal.commit(ARCH, epoch, [requeue(runId, 1, 'lost'), grant(runId, 2)]);
    expect(await attempts()).toMatchObject([
      {
        run_id: runId,
        attempt: 1,
        worker: 'w1',
        incarnation: 'life-1',
        slot: 4,
        epoch,
        granted_at: expect.any(Date),
        started_at: expect.any(Date),
        ended_at: expect.any(Date),
        outcome: 'lost',
        reason: 'the lease expired',
      },
      { run_id: runId, attempt: 2, slot: 0, started_at: null, ended_at: null, outcome: null },
    ]);
    await fixture.database.journal.commit(ARCH, epoch, [finish(runId, 2)]);
    expect((await attempts())[1]).toMatchObject({ outcome: 'finished', ended_at: expect.any(Date) });
  });

  it('PostgresJournal in its tables moves updated_at when the run finishes and at no step before', async () => {
    const { createdAt } = (await fixture.database.results.find(runId))!;
    const turn = [grant(runId, 1), { kind: 'start' as const, runId, attempt: 1 }];
    for (const write of [...turn, requeue(runId, 1), grant(runId, 2)]) {
      await fixture.database.journal.commit(ARCH, epoch, [write]);
      expect((await fixture.database.results.find(runId))!.updatedAt).toEqual(createdAt);
    }
    await fixture.database.journal.commit(ARCH, epoch, [finish(runId, 2)]);
    const finishedRun = (await fixture.database.results.find(runId))!;
    expect(finishedRun.updatedAt.getTime()).toBeGreaterThan(createdAt.getTime());
    expect(finishedRun.finishedAt).toEqual(finishedRun.updatedAt);
  });

  it('PostgresJournal in its tables moves updated_at when a late result corrects the run, and nothing else of when it was', async () => {
    const runOutcome = outcome({ verdict: 'tmpfail', message: 'silent', durationSeconds: null, files: [] });
    await fixture.database.journal.commit(ARCH, epoch, [
      grant(runId, 1),
      { kind: 'finish', runId, attempt: 1, attemptOutcome: 'expired', outcome: runOutcome, worker: 'w1' },
    ]);
    const before = (await fixture.database.results.find(runId))!;
    const files = [{ name: 'log.gz' as const, size: 99 }];
    const late = outcome({ files, durationSeconds: 30 });
    await fixture.database.journal.commit(ARCH, epoch, [
      { kind: 'correct', runId, attempt: 1, worker: 'w1', outcome: late },
    ]);
    const after = (await fixture.database.results.find(runId))!;
    expect(after).toMatchObject({ verdict: 'pass', logSize: 99, finishedAt: before.finishedAt });
    expect(after.updatedAt.getTime()).toBeGreaterThan(before.updatedAt.getTime());
    expect(after.finishedAt!.getTime() - after.startedAt!.getTime()).toBe(30_000);
    expect(await attempts()).toMatchObject([
      { outcome: 'finished', reason: null, verdict: 'pass', log_size: 99 },
    ]);
  });

  it('PostgresJournal in its tables books sizes beyond 4 GiB as numbers, and no size for a file that is not there', async () => {
    const files = [{ name: 'artifacts.tar.gz' as const, size: 5_000_000_000 }];
    await fixture.database.journal.commit(ARCH, epoch, [grant(runId, 1), finish(runId, 1, { files })]);
    expect(await fixture.database.results.find(runId)).toMatchObject({
      logSize: null,
      artifactsSize: 5_000_000_000,
    });
  });

  it('PostgresJournal in its tables keeps the first error of the log with the run that it ends, or corrects', async () => {
    const excerpt = { firstLine: 7, errorLine: 8, lines: ['make all', 'error: <script>\u202e'] };
    const error = { signature: '0123456789abcdef', excerpt };
    expect(await fixture.database.results.errorOf(runId)).toBeNull();
    await fixture.database.journal.commit(ARCH, epoch, [
      grant(runId, 1),
      finish(runId, 1, { verdict: 'fail', error }),
    ]);
    expect(await fixture.database.results.errorOf(runId)).toEqual(error);
  });

  it('PostgresJournal in its tables derives the start from the duration when only the end was reported', async () => {
    await fixture.database.journal.commit(ARCH, epoch, [
      grant(runId, 1),
      finish(runId, 1, { durationSeconds: 90 }),
    ]);
    const { startedAt, finishedAt } = (await fixture.database.results.find(runId))!;
    expect(finishedAt!.getTime() - startedAt!.getTime()).toBe(90_000);
  });

  it('PostgresJournal in its tables keeps the newest hundred judgements of each worker on each architecture', async () => {
    const judge = (worker: string, reason: string) =>
      ({ kind: 'judge-worker', worker, standing: 'slowed', reason }) as const;
    const other = await takeOver('arm64');
    await fixture.database.journal.commit('arm64', other, [judge('w1', 'elsewhere')]);
    await fixture.database.journal.commit(ARCH, epoch, [judge('w2', 'once')]);
    const many = Array.from({ length: 103 }, (_, place) => judge('w1', String(place)));
    await fixture.database.journal.commit(ARCH, epoch, many);
    const { rows } = await fixture.client.query<{ name: string; reasons: string[] }>(
      `select arch || ' ' || worker as name, array_agg(reason order by judgement_id) as reasons
       from worker_judgements group by 1 order by 1`,
    );
    expect(rows).toEqual([
      { name: `${ARCH} w1`, reasons: many.slice(3).map(({ reason }) => reason) },
      { name: `${ARCH} w2`, reasons: ['once'] },
      { name: 'arm64 w1', reasons: ['elsewhere'] },
    ]);
  });

  it('PostgresJournal in its tables keeps no judgement for more than 30 days, but for workers that are not sound', async () => {
    await fixture.client.query(
      `insert into worker_judgements (arch, worker, standing, reason, at)
       select $1, worker, standing, reason, now() - days * interval '1 day' from (values
         ('gone', 'quarantined', 'before', 40), ('gone', 'sound', 'back', 31), ('ill', 'slowed', 'before', 32),
         ('ill', 'quarantined', 'now', 31), ('lost', 'quarantined', 'now', 366), ('well', 'sound', 'back', 29)
       ) as old(worker, standing, reason, days)`,
      [ARCH],
    );
    const judgement = { kind: 'judge-worker', worker: 'w1', standing: 'slowed', reason: 'new' } as const;
    await fixture.database.journal.commit(ARCH, epoch, [judgement]);
    const { rows } = await fixture.client.query<{ worker: string; reason: string }>(
      'select worker, reason from worker_judgements order by worker',
    );
    expect(rows.map(({ worker, reason }) => `${worker} ${reason}`)).toEqual([
      'ill now',
      'w1 new',
      'well back',
    ]);
  });
});
