import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectEachPassedOnce } from '@test/support/accounts';
import { Machine } from '@test/support/command-line';
import { peerMsUntil } from '@test/support/peer-clock';
import { silenceLog } from '@test/support/silent-log';
import { until } from '@test/support/until';
import { arch, Stage } from './stage';

silenceLog();

/** Documents say: at once. */
const CUT_OFF_MS = 1_000;

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
  const { adminKey, databaseUrl, url, users, home } = stage.proctor;
  const env = {
    PROCTOR_URL: url,
    PROCTOR_API_KEY: adminKey,
    PROCTOR_DATABASE_URL: databaseUrl,
    PROCTOR_NATS_USERS: users.folder,
    PROCTOR_NATS_ACCOUNTS: join(home.nats, 'accounts.conf'),
  };
  const { code, stdout, stderr } = await machine.program(['worker', ...args], '', env);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  // A server before 2.10 gets its signal by hand.
  if (stderr.includes('nats-server --signal reload')) await stage.proctor.kill('nats', 'SIGHUP');
  return stdout;
}

async function request(path: string, body: object): Promise<Record<string, unknown>> {
  const { url, adminKey } = stage.proctor;
  const headers = { 'Auth-Key': adminKey, 'Content-Type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${url}/api/v1/admin/workers${path}`, init);
  expect(response.ok).toBe(true);
  return (await response.json()) as Record<string, unknown>;
}

it('a worker that the API adds works with the credentials of the answer', async () => {
  await stage.proctor.kill('worker', 'SIGINT');
  await stage.proctor.kill('worker2', 'SIGINT');
  const { users, url } = stage.proctor;
  // The second worker, as a new one.
  await request('/second/revoke', {});
  const { credentials, notice } = await request('', {
    ...{ name: 'second', architectures: [arch], private: true, url: (await users.read('api')).url },
  });
  expect(notice).toBeNull();
  await writeFile(users.path('second'), JSON.stringify(credentials), { mode: 0o600 });
  await stage.proctor.restart('worker2');
  const [runId] = await stage.submit(1, 'added');
  await expectEachPassedOnce(stage, [runId!]);
  expect((await stage.client.run(runId!)).worker).toBe('second');
  expect((await fetch(`${url}/api/v1/admin/workers`)).status).toBe(403);
});

it.each([
  ['command', (name: string) => proctor('revoke', name, '--reason', 'sold')],
  ['API', (name: string) => request(`/${name}/revoke`, { reason: 'sold' })],
])(
  'nats-server ends the connection of a worker that is revoked by %s, within a second, and no longer lets it in',
  async (_entrance, revoke) => {
    const { output, home } = stage.proctor;
    const runId = await stage.waitingRun();
    const name = String((await stage.client.run(runId)).worker);
    const revoked = name === 'second' ? 'worker2' : 'worker';
    await revoke(name);
    const isCutOff = output.line(revoked, /disconnected from NATS/);
    expect(await peerMsUntil(isCutOff, () => stage.client.fetch('/health'))).toBeLessThan(CUT_OFF_MS);
    const isRefused = async () =>
      /authentication error/.test(await readFile(join(home.nats, 'server.log'), 'utf8'));
    expect(await until(isRefused)).toBe(true);
    expect(output.of(revoked).filter((line) => line.includes('connected to NATS'))).not.toContainEqual(
      expect.stringMatching(/ again$/),
    );
    const run = await stage.client.runThat(runId, (each) => each.attempt === 2 && each.state === 'running');
    expect(run.worker).not.toBe(name);
    await stage.go();
    const [account] = await expectEachPassedOnce(stage, [runId]);
    expect(account?.outcomes).toEqual(['returned', 'finished']);
    // What was seen and refused since the last minute is written when it ends. Refused is what it asked a dispatcher after it
    // was revoked, and before it was cut off: it may have had no time to.
    await stage.proctor.kill('scheduler', 'SIGTERM');
    const listed = (await proctor('list', '--registered'))
      .split('\n')
      .filter((line) => line.startsWith(`${name}\t`));
    const time = String.raw`\d{4}-\d\d-\d\dT\S+Z`;
    expect(listed).toEqual([
      expect.stringMatching(
        new RegExp(
          `^${name}\t${arch}\tyes\t${time}\t${time}\t${time}\t127[.]0[.]0[.]1\t(0\t\t|[1-9]\\d*\t${time}\t.* was revoked.*)$`,
        ),
      ),
    ]);
  },
);

it('a worker that is cut off before it learns why says once that it is refused, and ends its tests', async () => {
  const { output } = stage.proctor;
  const runId = await stage.waitingRun();
  const name = String((await stage.client.run(runId)).worker);
  const revoked = name === 'second' ? 'worker2' : 'worker';
  // It neither stops the worker nor grants the run to another.
  await stage.proctor.kill('scheduler', 'SIGSTOP');
  await proctor('revoke', name, '--reason', 'sold');
  await output.line(
    revoked,
    new RegExp(`run ${runId} attempt 1 was ended: nats-server no longer lets this worker in`),
  );
  const lines = (text: string) => output.of(revoked).filter((line) => line.includes(text));
  expect(lines(`no longer lets ${name} in: if it was revoked, stop this process`)).toHaveLength(1);
  expect(lines('disconnected from NATS')).toHaveLength(1);
  expect(lines('Authorization Violation')).toEqual([]);
  await stage.proctor.kill('scheduler', 'SIGCONT');
  const run = await stage.client.runThat(runId, (each) => each.attempt === 2 && each.state === 'running');
  expect(run.worker).not.toBe(name);
  await stage.go();
  await expectEachPassedOnce(stage, [runId]);
});
