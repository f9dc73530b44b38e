import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectEachPassedOnce } from '../../../support/accounts';
import { Machine } from '../../../support/command-line';
import { silenceLog } from '../../../support/silent-log';
import { until } from '../../../support/until';
import { arch, Stage } from './stage';

jest.setTimeout(120_000);
silenceLog();

let stage: Stage;
let machine: Machine;

beforeEach(async () => {
  stage = await Stage.open({ apps: ['api', 'scheduler', 'worker', 'worker2'], slots: 1 });
  machine = await Machine.make();
  await machine.configure('proctor.yaml', `architectures: [${arch}]\n`);
});
afterEach(async () => {
  await machine?.remove();
  await stage?.close();
});

/** As on the machine of an administrator whose nats-server includes the file of accounts. */
async function proctor(...args: string[]): Promise<string> {
  const { databaseUrl, users, home } = stage.proctor;
  const env = {
    PROCTOR_DATABASE_URL: databaseUrl,
    PROCTOR_NATS_USERS: users.folder,
    PROCTOR_NATS_ACCOUNTS: join(home.nats, 'accounts.conf'),
  };
  const { code, stdout, stderr } = await machine.proctor(['worker', ...args], '', env);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  // A server before 2.10 is told by hand.
  if (stderr.includes('nats-server --signal reload')) await stage.proctor.kill('nats', 'SIGHUP');
  return stdout;
}

test('nats-server ends the connection of a worker that is revoked, within a second, and lets it in no more', async () => {
  const { output, home } = stage.proctor;
  const runId = await stage.waitingRun();
  const name = String((await stage.client.run(runId)).worker);
  const revoked = name === 'second' ? 'worker2' : 'worker';
  await proctor('revoke', name, '--reason', 'sold');
  const from = performance.now();
  await output.line(revoked, /disconnected from NATS/);
  expect(performance.now() - from).toBeLessThan(1_000);
  const isRefused = async () =>
    /authentication error/.test(await readFile(join(home.nats, 'server.log'), 'utf8'));
  expect(await until(isRefused, 20_000)).toBe(true);
  expect(output.of(revoked).filter((line) => line.includes('connected to NATS'))).not.toContainEqual(
    expect.stringMatching(/ again$/),
  );
  const run = await stage.client.runThat(runId, (each) => each.attempt === 2 && each.state === 'running');
  expect(run.worker).not.toBe(name);
  await stage.go();
  const [account] = await expectEachPassedOnce(stage, [runId]);
  expect(account?.outcomes).toEqual(['returned', 'finished']);
  // What was seen and refused since the last minute is written when it ends.
  await stage.proctor.kill('scheduler', 'SIGTERM');
  const listed = (await proctor('list')).split('\n').filter((line) => line.startsWith(`${name} `));
  const time = String.raw`\d{4}-\d\d-\d\dT\S+Z`;
  expect(listed).toEqual([
    expect.stringMatching(
      new RegExp(
        `^${name} +${arch} +yes +${time} +${time} +${time} +127[.]0[.]0[.]1 +[1-9]\\d* +${time} +.* was revoked`,
      ),
    ),
  ]);
});
