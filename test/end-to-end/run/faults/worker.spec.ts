import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { connectBus } from '@proctor/bus';
import { reportSubject, SUBJECTS, subjectOf } from '@proctor/contracts';
import { accountsOf, expectEachPassedOnce } from '@test/support/accounts';
import { silenceLog } from '@test/support/silent-log';
import { arch, SHORT_LEASES, Stage } from './stage';

silenceLog();

let stage: Stage;

/** Reports an end of the first attempt of a run, as its worker would. @returns the answer to the worker */
async function answerTo(runId: number, result: object): Promise<unknown> {
  const worker = String((await stage.client.run(runId)).worker);
  const bus = await connectBus(await stage.proctor.users.operator());
  try {
    const answered = new Promise<unknown>((resolve) => {
      bus.subscribe(subjectOf(SUBJECTS.recorded, worker), ({ text }) => resolve(JSON.parse(text)));
    });
    await bus.flush();
    const report = { worker, incarnation: randomUUID(), slot: 0, runId, attempt: 1, files: [] };
    await bus.report(reportSubject(arch, 'finished', report), { ...report, ...result });
    return await answered;
  } finally {
    await bus.close();
  }
}

describe('a deployment whose leases end soon', () => {
  beforeAll(async () => {
    stage = await Stage.open({ scheduler: SHORT_LEASES });
  });
  beforeEach(() => stage.withdrawGo());
  afterAll(() => stage?.close());

  it('a worker that stalls past its lease and comes back brings a result that counts, unless a newer attempt was granted', async () => {
    const runIds = [await stage.waitingRun('one'), await stage.waitingRun('two')];
    await stage.proctor.kill('worker', 'SIGSTOP');
    for (const runId of runIds) await stage.client.runThat(runId, (run) => run.state === 'queued');
    await stage.go();
    await stage.proctor.kill('worker', 'SIGCONT');
    await expectEachPassedOnce(stage, runIds);
  });

  it('a run of a worker that stalled past its lease is ended by the worker that has it now, alone', async () => {
    const runId = await stage.waitingRun('passed-on');
    await stage.proctor.kill('worker', 'SIGSTOP');
    await stage.proctor.restart('worker2');
    await stage.client.runThat(runId, (run) => run.attempt === 2 && run.state === 'running');
    await stage.proctor.kill('worker', 'SIGCONT');
    await stage.proctor.output.line('worker', new RegExp(`run ${runId} attempt 1 was ended`));
    await stage.go();
    await expectEachPassedOnce(stage, [runId]);
    expect(await stage.client.run(runId)).toMatchObject({ worker: 'second', attempt: 2 });
  });

  it('what a killed worker executed is executed once more, by another worker', async () => {
    await stage.proctor.kill('worker2', 'SIGINT');
    const first = await stage.waitingRun('killed');
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
});

describe('a deployment whose leases outlast each test', () => {
  beforeAll(async () => {
    const scheduler = { leaseTtlMs: 3_600_000 };
    stage = await Stage.open({ slots: 1, scheduler, worker2: { workPath: 'worker' } });
  });
  beforeEach(() => stage.withdrawGo());
  afterAll(() => stage?.close());

  it('a second worker does not start on the same work folder, and the first goes on', async () => {
    await expect(stage.proctor.restart('worker2')).rejects.toThrow(/another worker uses the work folder/);
    await expectEachPassedOnce(stage, await stage.submit(1, 'one'));
  });

  it('a report of an attempt that is not the latest writes nothing', async () => {
    const { client, proctor } = stage;
    const runId = await stage.waitingRun('late');
    await proctor.kill('worker', 'SIGKILL');
    await proctor.restart('worker');
    await client.runThat(runId, (run) => run.state === 'running' && run.attempt === 2);

    const result = { verdict: 'fail', message: 'too late', exitCode: 4, version: '0', durationSeconds: 1 };
    expect(await answerTo(runId, result)).toMatchObject({ runId, attempt: 1, answer: 'stale' });
    expect(await client.run(runId)).toMatchObject({ status: null, attempt: 2, message: null });
    await stage.go();
    await expectEachPassedOnce(stage, [runId]);
    expect(await client.run(runId)).toMatchObject({ version: '1.0-1' });
  });

  it('an unreadable report ends its attempt, its worker gets an answer, and the run is tried again', async () => {
    const { client, proctor } = stage;
    const runId = await stage.waitingRun('odd');
    const result = { verdict: 'pass', message: 'odd', exitCode: 0, version: '1.0-1', durationSeconds: 1 };
    const tests = [{ name: 'a b', status: 'PASS', detail: null }];
    const reason = expect.stringContaining('tests.0.name') as string;
    const answer = await answerTo(runId, { ...result, tests });
    expect(answer).toMatchObject({ runId, attempt: 1, answer: 'refused', reason });
    await stage.go();
    await client.finished(runId);
    const [account] = await accountsOf(proctor, [runId]);
    expect(account).toMatchObject({ verdict: 'pass', outcomes: ['failed', 'finished'] });
  });

  it('a worker that is killed and started again ends its former life: the run is executed once more without waiting for the lease', async () => {
    const runId = await stage.waitingRun('reborn');
    await stage.proctor.kill('worker', 'SIGKILL');
    await stage.go();
    await stage.proctor.restart('worker');
    const [account] = await expectEachPassedOnce(stage, [runId]);
    expect(account?.outcomes).toEqual(['lost', 'finished']);
  });
});

describe('a deployment with two workers of one name', () => {
  const isAlone = (app: 'worker' | 'worker2') =>
    new RegExp(`^(?!.*no longer).*${app === 'worker' ? 'too' : 'alive'}`);

  beforeAll(async () => {
    stage = await Stage.open({ worker2: { name: hostname() }, scheduler: SHORT_LEASES });
  });
  afterAll(() => stage?.close());

  it('a second worker of the same name is granted nothing while the first lives, and both learn why', async () => {
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
    await proctor.output.line('worker2', /no longer says/);
    await expectEachPassedOnce(stage, await stage.submit(1, 'last'));
  });
});
