import { openDatabase } from '@proctor/database';
import { runRequest } from '@test/support/run-request';
import { accountsOf, expectEachPassedOnce } from '@test/support/accounts';
import { silenceLog } from '@test/support/silent-log';
import { STUB_SUITE } from '@test/support/stub';
import { arch, SHORT_LEASES, Stage } from './stage';

silenceLog();

let stage: Stage;

describe('a scheduler whose leases outlast each test', () => {
  beforeAll(async () => {
    stage = await Stage.open({ slots: 4, scheduler: { ownershipTtlMs: 5_000 } });
  });
  afterAll(() => stage?.close());

  it('120 runs that are cancelled as soon as they are asked for fail no turn, and all end', async () => {
    const { client, proctor } = stage;
    const runIds: number[] = [];
    const submitAndCancel = async (pairs: number, name: string): Promise<void> => {
      for (let pair = 0; pair < pairs; pair += 1) {
        const runId = await client.submitOne(STUB_SUITE, arch, { package: name, trigger: 'sleep:0.1' });
        runIds.push(runId);
        const { status } = await client.fetch(`/api/v1/test/${runId}`, { method: 'DELETE' });
        // 409: it was quicker.
        expect([200, 409]).toContain(status);
      }
    };
    await Promise.all(Array.from({ length: 6 }, (_, place) => submitAndCancel(20, `hasty${place}-`)));
    const after = await stage.submit(8, 'after');
    await expectEachPassedOnce(stage, after);

    const accounts = await accountsOf(proctor, runIds);
    expect(accounts).toHaveLength(120);
    for (const { state, outcomes, facts } of accounts) {
      expect([state, outcomes.includes(null)]).toEqual(['finished', false]);
      expect(facts.filter((kind) => kind === 'cancelled' || kind === 'finished')).toHaveLength(1);
    }
    const turns = proctor.output.of('scheduler').filter((line) => /Dispatcher|Ownership/.test(line));
    expect(turns.slice(0, 2)).toEqual([
      expect.stringMatching(`owns ${arch}`),
      expect.stringMatching('loaded 0 runs'),
    ]);
    // On a busy machine an ownership may run out: it is claimed again.
    expect(turns.filter((line) => !/ owns |loaded \d+ runs/.test(line))).toEqual([]);
  });

  it('a run whose command was lost is found by the poll', async () => {
    const database = await openDatabase(stage.proctor.databaseUrl);
    try {
      const requestor = await database.apiKeys.authenticate(stage.proctor.adminKey);
      if (!requestor) throw new Error('the key of the test is not known');
      const request = runRequest({
        ...{ package: 'quiet', suite: STUB_SUITE, arch, backend: 'null', variant: 'stub' },
        trigger: `append:${stage.marks.path('executed')}`,
      });
      const runIds = await database.submissions.submit([request], requestor);
      await expectEachPassedOnce(stage, runIds);
    } finally {
      await database.close();
    }
  });

  it('a scheduler that is killed and started again, again and again, costs no second execution', async () => {
    const first = await stage.waitingRun();
    const rest = await stage.submit(20, 'rest', 'sleep:0.3');
    for (const executions of [3, 8, 14]) {
      await stage.underWay(executions, 'rest');
      await stage.proctor.kill('scheduler', 'SIGKILL');
      await stage.proctor.restart('scheduler');
    }
    await stage.go();
    const accounts = await expectEachPassedOnce(stage, [first, ...rest]);
    expect(accounts.map(({ attempt }) => attempt)).toEqual(accounts.map(() => 1));
  });
});

describe('a scheduler whose leases end soon', () => {
  beforeAll(async () => {
    stage = await Stage.open({ scheduler: SHORT_LEASES });
  });
  afterAll(() => stage?.close());

  it('results that arrive while the scheduler is away for longer than a lease count', async () => {
    const runIds = [await stage.waitingRun('one'), await stage.waitingRun('two')];
    await stage.proctor.kill('scheduler', 'SIGKILL');
    await stage.go();
    for (const runId of runIds)
      await stage.proctor.output.line('worker', new RegExp(`run ${runId} attempt 1: pass`));
    await stage.proctor.restart('scheduler');
    const accounts = await expectEachPassedOnce(stage, runIds);
    expect(accounts.map(({ attempt }) => attempt)).toEqual([1, 1]);
  });
});
