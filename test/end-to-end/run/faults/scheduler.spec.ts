import { openDatabase } from '@proctor/database';
import { expectEachPassedOnce } from '../../../support/accounts';
import { silenceLog } from '../../../support/silent-log';
import { STUB_SUITE } from '../../../support/stub';
import { arch, Stage } from './stage';

jest.setTimeout(120_000);
silenceLog();

let stage: Stage;
afterEach(() => stage?.close());

test('a scheduler that is killed and started again, again and again, costs no second execution', async () => {
  stage = await Stage.open({ slots: 3, scheduler: { leaseTtlMs: 60_000 } });
  const first = await stage.waitingRun();
  const rest = await stage.submit(20, 'rest', 'sleep:0.3');
  for (const executions of [3, 8, 14]) {
    await stage.underWay(executions);
    await stage.proctor.kill('scheduler', 'SIGKILL');
    await stage.proctor.restart('scheduler');
  }
  await stage.go();
  const accounts = await expectEachPassedOnce(stage, [first, ...rest]);
  expect(accounts.map(({ attempt }) => attempt)).toEqual(accounts.map(() => 1));
});

test('results that arrive while the scheduler is away for longer than a lease count', async () => {
  stage = await Stage.open();
  const runIds = [await stage.waitingRun('one'), await stage.waitingRun('two')];
  await stage.proctor.kill('scheduler', 'SIGKILL');
  await stage.go();
  for (const runId of runIds)
    await stage.proctor.output.line('worker', new RegExp(`run ${runId} attempt 1: pass`));
  await stage.proctor.restart('scheduler');
  const accounts = await expectEachPassedOnce(stage, runIds);
  expect(accounts.map(({ attempt }) => attempt)).toEqual([1, 1]);
});

test('a run whose command was lost is found by the poll', async () => {
  stage = await Stage.open();
  const database = await openDatabase(stage.proctor.databaseUrl);
  try {
    const requestor = await database.apiKeys.authenticate(stage.proctor.adminKey);
    if (!requestor) throw new Error('the key of the test is not known');
    const request = {
      ...{ package: 'quiet', suite: STUB_SUITE, arch, backend: 'null', variant: 'stub', priority: 5 },
      trigger: `append:${stage.marks.path('executed')}`,
    };
    const rest = { pinPackages: [], extraAptSources: [], isPrivate: false };
    const runIds = await database.submissions.submit([{ ...request, ...rest }], requestor);
    await expectEachPassedOnce(stage, runIds, 'executed', 10_000);
  } finally {
    await database.close();
  }
});
