import { expectEachPassedOnce } from '@test/support/accounts';
import { silenceLog } from '@test/support/silent-log';
import { STUB_SUITE } from '@test/support/stub';
import { arch, Stage } from './stage';

silenceLog();

let stage: Stage;
afterEach(() => stage?.close());

it('PostgreSQL crashes and comes back: requests are refused meanwhile, tests go on, nothing is executed twice', async () => {
  stage = await Stage.open({ ownPostgres: true, slots: 3 });
  const { proctor, client } = stage;
  const first = await stage.waitingRun();
  const rest = await stage.submit(15, 'rest', 'sleep:0.3');
  for (const executions of [3, 8]) {
    await stage.underWay(executions, 'rest');
    await proctor.kill('postgres', 'SIGQUIT');
    const body = new URLSearchParams({ tests: JSON.stringify(stage.items(1, 'refused')) });
    const refusal = await client.fetch(`/api/v1/test/${STUB_SUITE}/${arch}`, { method: 'POST', body });
    expect([refusal.status, Number(refusal.headers.get('retry-after')) > 0]).toEqual([503, true]);
    await proctor.restart('postgres');
  }
  await stage.go();
  const accounts = await expectEachPassedOnce(stage, [first, ...rest]);
  expect(accounts.map(({ attempt }) => attempt)).toEqual(accounts.map(() => 1));
});

it('a result that comes while PostgreSQL is away, and its architecture has no owner, counts', async () => {
  stage = await Stage.open({ ownPostgres: true });
  const { proctor } = stage;
  const runId = await stage.waitingRun();
  await proctor.kill('postgres', 'SIGQUIT');
  await stage.go();
  await proctor.output.line('worker', new RegExp(`run ${runId} attempt 1: pass`));
  await proctor.output.line('scheduler', new RegExp(`no longer owns ${arch}`));
  await proctor.restart('postgres');
  const [account] = await expectEachPassedOnce(stage, [runId]);
  expect(account?.attempt).toBe(1);
});
