import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { connectBus } from '@proctor/bus';
import { reportSubject, SUBJECTS, subjectOf } from '@proctor/contracts';
import { accountsOf, expectEachPassedOnce } from '../../../support/accounts';
import { silenceLog } from '../../../support/silent-log';
import { arch, Stage } from './stage';

jest.setTimeout(120_000);
silenceLog();

let stage: Stage;
afterEach(() => stage?.close());

describe('a worker that is killed', () => {
  it('loses nothing: what it executed is executed once more, by another worker', async () => {
    stage = await Stage.open({ apps: ['api', 'scheduler', 'worker'] });
    const first = await stage.waitingRun();
    await stage.proctor.restart('worker2');
    const rest = await stage.submit(10, 'rest', 'sleep:0.2');
    await stage.proctor.kill('worker', 'SIGKILL');
    await stage.client.runThat(first, (run) => run.attempt === 2);
    await stage.go();
    const [account, ...others] = await expectEachPassedOnce(stage, [first, ...rest]);
    expect(account).toMatchObject({ attempt: 2, outcomes: ['expired', 'finished'] });
    expect(await stage.client.run(first)).toMatchObject({ worker: 'second' });
    for (const { outcomes } of others) expect(outcomes.at(-1)).toBe('finished');
  });

  it('and started again ends its former life: the run is executed once more without waiting for the lease', async () => {
    stage = await Stage.open({ scheduler: { leaseTtlMs: 3_600_000 } });
    const runId = await stage.waitingRun();
    await stage.proctor.kill('worker', 'SIGKILL');
    await stage.go();
    await stage.proctor.restart('worker');
    const [account] = await expectEachPassedOnce(stage, [runId]);
    expect(account?.outcomes).toEqual(['lost', 'finished']);
  });
});

describe('a worker that stalls past its lease', () => {
  it('and comes back: its result counts, unless a newer attempt was granted', async () => {
    stage = await Stage.open();
    const runIds = [await stage.waitingRun('one'), await stage.waitingRun('two')];
    await stage.proctor.kill('worker', 'SIGSTOP');
    for (const runId of runIds) await stage.client.runThat(runId, (run) => run.state === 'queued');
    await stage.go();
    await stage.proctor.kill('worker', 'SIGCONT');
    await expectEachPassedOnce(stage, runIds);
  });

  it('and comes back when another worker has the run: that one ends it, alone', async () => {
    stage = await Stage.open({ slots: 1 });
    const runId = await stage.waitingRun();
    await stage.proctor.kill('worker', 'SIGSTOP');
    await stage.proctor.restart('worker2');
    await stage.client.runThat(runId, (run) => run.attempt === 2 && run.state === 'running');
    await stage.proctor.kill('worker', 'SIGCONT');
    await stage.proctor.output.line('worker', new RegExp(`run ${runId} attempt 1 was ended`));
    await stage.go();
    await expectEachPassedOnce(stage, [runId]);
    expect(await stage.client.run(runId)).toMatchObject({ worker: 'second', attempt: 2 });
  });
});

describe('a second worker of the same name', () => {
  const isAlone = (app: 'worker' | 'worker2') =>
    new RegExp(`^(?!.*no more).*${app === 'worker' ? 'too' : 'alive'}`);

  it('takes nothing from the first, is granted nothing while that one lives, and both are told', async () => {
    stage = await Stage.open({ worker2: { name: hostname() } });
    const { client, proctor } = stage;
    const runId = await stage.waitingRun();
    await proctor.restart('worker2');
    await proctor.output.line('worker2', isAlone('worker2'));
    await proctor.output.line('worker', isAlone('worker'));
    const { workers } = (await (await client.fetch('/api/v1/workers')).json()) as {
      workers: { problem: string }[];
    };
    expect(workers).toMatchObject([
      { name: hostname(), problem: expect.stringContaining('too, and is granted') },
    ]);
    const rest = await stage.submit(5, 'rest');
    await expectEachPassedOnce(stage, rest);
    await stage.go();
    const accounts = await expectEachPassedOnce(stage, [runId, ...rest]);
    expect(accounts.map(({ outcomes }) => outcomes)).toEqual(accounts.map(() => ['finished']));
    await proctor.kill('worker', 'SIGKILL');
    await proctor.output.line('worker2', /says no more/);
    await expectEachPassedOnce(stage, await stage.submit(1, 'last'));
  });

  it('does not start on the same work folder, and the first goes on', async () => {
    stage = await Stage.open({ worker2: { workPath: 'worker' } });
    await expect(stage.proctor.restart('worker2')).rejects.toThrow(/another worker uses the work folder/);
    await expectEachPassedOnce(stage, await stage.submit(1, 'one'));
  });
});

it('a report of an attempt that is not the latest writes nothing', async () => {
  stage = await Stage.open();
  const { client, proctor } = stage;
  const runId = await stage.waitingRun();
  const { worker } = await client.run(runId);
  await proctor.kill('worker', 'SIGKILL');
  await proctor.restart('worker');
  await client.runThat(runId, (run) => run.state === 'running' && run.attempt === 2);

  const bus = await connectBus(await proctor.users.operator());
  try {
    const answered = new Promise<unknown>((resolve) => {
      bus.subscribe(subjectOf(SUBJECTS.recorded, String(worker)), ({ text }) => resolve(JSON.parse(text)));
    });
    await bus.flush();
    const late = { worker: String(worker), incarnation: randomUUID(), slot: 0, runId, attempt: 1, files: [] };
    const verdict = { verdict: 'fail', message: 'too late', exitCode: 4, version: '0', durationSeconds: 1 };
    await bus.report(reportSubject(arch, 'finished', late), { ...late, ...verdict });
    expect(await answered).toMatchObject({ runId, attempt: 1, answer: 'stale' });
  } finally {
    await bus.close();
  }
  expect(await client.run(runId)).toMatchObject({ status: null, attempt: 2, message: null });
  await stage.go();
  await expectEachPassedOnce(stage, [runId]);
  expect(await client.run(runId)).toMatchObject({ version: '1.0-1' });
});

it('a report that nobody can read ends its attempt, its worker is told, and the run is tried again', async () => {
  stage = await Stage.open({ slots: 1 });
  const { client, proctor } = stage;
  const runId = await stage.waitingRun();
  const { worker } = await client.run(runId);
  const bus = await connectBus(await proctor.users.operator());
  try {
    const answered = new Promise<unknown>((resolve) => {
      bus.subscribe(subjectOf(SUBJECTS.recorded, String(worker)), ({ text }) => resolve(JSON.parse(text)));
    });
    await bus.flush();
    const report = {
      worker: String(worker),
      incarnation: randomUUID(),
      slot: 0,
      runId,
      attempt: 1,
      files: [],
    };
    const result = { verdict: 'pass', message: 'odd', exitCode: 0, version: '1.0-1', durationSeconds: 1 };
    const tests = [{ name: 'a b', status: 'PASS', detail: null }];
    await bus.report(reportSubject(arch, 'finished', report), { ...report, ...result, tests });
    const reason = expect.stringContaining('tests.0.name') as string;
    expect(await answered).toMatchObject({ runId, attempt: 1, answer: 'refused', reason });
  } finally {
    await bus.close();
  }
  await stage.go();
  await client.finished(runId);
  const [account] = await accountsOf(proctor, [runId]);
  expect(account).toMatchObject({ verdict: 'pass', outcomes: ['failed', 'finished'] });
});

it('a result that the database refuses ends its attempt, visibly, and the run is tried again', async () => {
  stage = await Stage.open({ slots: 1 });
  const { client, proctor } = stage;
  const runId = await stage.waitingRun();
  const { worker } = await client.run(runId);
  const bus = await connectBus(await proctor.users.operator());
  try {
    const answered = new Promise<unknown>((resolve) => {
      bus.subscribe(subjectOf(SUBJECTS.recorded, String(worker)), ({ text }) => resolve(JSON.parse(text)));
    });
    await bus.flush();
    const report = {
      worker: String(worker),
      incarnation: randomUUID(),
      slot: 0,
      runId,
      attempt: 1,
      files: [],
    };
    const result = { verdict: 'pass', message: 'odd', exitCode: 0, version: '1.0-1', durationSeconds: 1e12 };
    await bus.report(reportSubject(arch, 'finished', report), { ...report, ...result });
    expect(await answered).toMatchObject({ runId, attempt: 1, answer: 'recorded' });
  } finally {
    await bus.close();
  }
  await stage.go();
  await client.finished(runId);
  const [account] = await accountsOf(proctor, [runId]);
  expect(account).toMatchObject({ verdict: 'pass', outcomes: ['failed', 'finished'] });
  expect(await client.run(runId)).toMatchObject({ status: 'pass', attempt: 2 });
});
