import { readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '@proctor/database';
import { Client } from '../../support/client';
import { hostArchitecture } from '../../support/host-architecture';
import { startProctor, type RunningProctor } from '../../support/proctor';
import { Marks, STUB_SUITE, stubConfiguration } from '../../support/stub';

jest.setTimeout(120_000);

const PASSWORDS = {
  user: 'open-sesame-of-alice',
  wrong: 'close-sesame-of-alice',
  source: 'pass-of-the-mirror',
  s3: 'secret-of-the-bucket',
};
const SOURCE = `deb https://proctor:${PASSWORDS.source}@mirror.example/debian ${STUB_SUITE} main`;

let proctor: RunningProctor;
let client: Client;
let marks: Marks;
/** What was said to anybody, by whom. */
const said: [string, string][] = [];

beforeEach(async () => {
  marks = await Marks.make();
  proctor = await startProctor({
    ownPostgres: true,
    config: { ...stubConfiguration(), aptSources: { extra: { lines: [SOURCE] } } },
    env: { PROCTOR_S3_ACCESS_KEY_ID: 'bucket-user', PROCTOR_S3_SECRET_ACCESS_KEY: PASSWORDS.s3 },
  });
  client = Client.of(proctor);
  const database = await openDatabase(proctor.databaseUrl);
  await database.users
    .add('alice', { isAdmin: false, password: PASSWORDS.user })
    .finally(() => database.close());
});

afterEach(async () => {
  await proctor?.stop();
  await marks?.remove();
});

async function ask(path: string, headers: Record<string, string>): Promise<number> {
  const response = await fetch(`${proctor.url}${path}`, { headers });
  const heads = JSON.stringify([...response.headers]);
  said.push([`answer to ${path}`, `${heads}\n${await response.text()}`]);
  return response.status;
}

const basic = (password: string) => ({
  Authorization: `Basic ${Buffer.from(`alice:${password}`).toString('base64')}`,
});

/** The command lines that everybody on this machine can read. */
function commandLines(): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      said.push([`command line of ${pid}`, readFileSync(`/proc/${pid}/cmdline`, 'utf8')]);
    } catch (error) {
      if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
}

/** Every secret of the deployment, with what it is. */
async function secrets(): Promise<[string, string][]> {
  const names = ['api', 'scheduler', ...proctor.users.workers.map(({ name }) => name)];
  const users = await Promise.all(names.map((name) => proctor.users.read(name)));
  return [
    ...Object.entries(PASSWORDS).map(([name, text]): [string, string] => [`password ${name}`, text]),
    ['password of the database', new URL(proctor.databaseUrl).password],
    ...users.map(({ name, seed }): [string, string] => [`seed of ${name}`, seed]),
    ['API key', proctor.adminKey],
  ];
}

test('no answer, no log and no command line tells a secret, whatever goes wrong', async () => {
  const key = { 'Auth-Key': proctor.adminKey };
  expect(await ask('/api/v1/auth', key)).toBe(200);
  expect(await ask('/api/v1/auth', { 'Auth-Key': `${proctor.adminKey}0` })).toBe(403);
  expect(await ask('/api/v1/keys', basic(PASSWORDS.user))).toBe(200);
  expect(await ask('/api/v1/keys', basic(PASSWORDS.wrong))).toBe(401);
  await executeWithTheSource(key);

  const mistake = `extra:\n  lines: ["${SOURCE}; id"]\nother: [${SOURCE}\n`;
  await proctor.configure('apt-sources.yaml', mistake);
  await proctor.output.line('api', /apt-sources\.yaml:/);
  expect(await ask('/health', key)).toBeLessThan(600);

  await proctor.kill('postgres', 'SIGQUIT');
  expect(await ask('/api/v1/auth', key)).toBe(503);
  expect(await ask('/api/v1/keys', basic(PASSWORDS.user))).toBe(503);
  await proctor.kill('nats', 'SIGKILL');
  await proctor.output.line('api', /NATS|nats/);
  commandLines();

  for (const name of ['api', 'scheduler', 'worker']) {
    said.push([`output of ${name}`, proctor.output.of(name).join('\n')]);
  }
  for (const folder of [proctor.home.nats, proctor.home.postgresql]) {
    said.push([folder, await readFile(join(folder, 'server.log'), 'utf8')]);
  }
  const told = (await secrets()).flatMap(([what, secret]) =>
    said.filter(([, text]) => text.includes(secret)).map(([where]) => `${what}: ${where}`),
  );
  expect(told).toEqual([]);
});

/** A run that lists the source with the password, looked at while it is executed and when it has ended. */
async function executeWithTheSource(key: Record<string, string>): Promise<void> {
  const go = marks.path('go');
  const runId = await client.submitOne(STUB_SUITE, hostArchitecture(), {
    package: 'hello',
    trigger: `append:${marks.path('begun')} wait-for:${go}`,
    'extra-apt-sources': ['extra'],
  });
  await client.runThat(runId, ({ state }) => state === 'running');
  commandLines();
  await writeFile(go, '');
  const run = await client.finished(runId);
  expect(run.status).toBe('pass');
  said.push(['result', JSON.stringify(run)]);
  expect(await ask(new URL(run.log_url ?? '', proctor.url).pathname, key)).toBe(200);
}
