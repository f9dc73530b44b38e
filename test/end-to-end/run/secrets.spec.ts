import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { openDatabase } from '@proctor/database';
import { Client } from '@test/support/client';
import { hostArchitecture } from '@test/support/host-architecture';
import { startProctor, type ProctorOptions, type RunningProctor } from '@test/support/proctor';
import { Marks, STUB_SUITE, stubConfiguration } from '@test/support/stub';
import {
  commandLines,
  contentsOf,
  seedsIn,
  shownSecrets,
  type Output,
  type Secret,
} from '@test/support/shown-secrets';

const PASSWORDS = {
  user: 'open-sesame-of-alice',
  wrong: 'close-sesame-of-alice',
  source: 'pass-of-the-mirror',
  s3: 'secret-of-the-bucket',
};
const REFUSAL =
  '<?xml version="1.0"?><Error><Code>SignatureDoesNotMatch</Code><Message>No.</Message>' +
  '<AWSAccessKeyId>bucket-user</AWSAccessKeyId></Error>';
const SOURCE = `deb https://proctor:${PASSWORDS.source}@mirror.example/debian ${STUB_SUITE} main`;

let proctor: RunningProctor;
let client: Client;
let marks: Marks;
/** All output of all programs, with its source. */
let outputs: Output[] = [];

beforeEach(async () => {
  outputs = [];
  marks = await Marks.make();
});

afterEach(async () => {
  await proctor?.stop();
  await marks?.remove();
});

async function start(options: ProctorOptions = {}, store?: Record<string, unknown>): Promise<void> {
  const stub = stubConfiguration();
  proctor = await startProctor({
    config: {
      ...stub,
      // A key that is remembered would be answered without the database.
      proctor: { ...stub.proctor, api: { keysRememberedMs: 0 }, ...(store && { store }) },
      aptSources: { extra: { lines: [SOURCE] } },
    },
    env: { PROCTOR_S3_ACCESS_KEY_ID: 'bucket-user', PROCTOR_S3_SECRET_ACCESS_KEY: PASSWORDS.s3 },
    ...options,
  });
  client = Client.of(proctor);
  const database = await openDatabase(proctor.databaseUrl);
  await database.users
    .add('alice', { isAdmin: false, password: PASSWORDS.user })
    .finally(() => database.close());
}

async function ask(path: string, headers: Record<string, string>): Promise<number> {
  const response = await fetch(`${proctor.url}${path}`, { headers });
  const heads = JSON.stringify([...response.headers]);
  outputs.push([`answer to ${path}`, `${heads}\n${await response.text()}`]);
  return response.status;
}

const basic = (password: string) => ({
  Authorization: `Basic ${Buffer.from(`alice:${password}`).toString('base64')}`,
});

/** Every secret of the deployment, with what it is. */
async function secrets(): Promise<Secret[]> {
  return [
    ...Object.entries(PASSWORDS).map(([name, text]): Secret => [`password ${name}`, text]),
    ['password of the database', new URL(proctor.databaseUrl).password],
    ...(await seedsIn(proctor.users.folder)),
    ['API key', proctor.adminKey],
  ];
}

/** Adds what the processes and servers wrote, and finds no secret in all that was said. */
async function expectNoSecret(): Promise<void> {
  outputs.push(['outputs', proctor.output.text]);
  const logs = [proctor.home.nats, proctor.home.postgresql].map((folder) => join(folder, 'server.log'));
  outputs.push(...(await contentsOf(logs)));
  expect((await secrets()).length).toBeGreaterThan(9);
  expect(shownSecrets(await secrets(), outputs)).toEqual([]);
}

it('no answer, no log and no command line contains a secret, whatever goes wrong', async () => {
  await start({ ownPostgres: true });
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
  outputs.push(...commandLines());

  await expectNoSecret();
});

it('an S3 server that refuses everything never receives the secret key, which is in no log and no answer', async () => {
  const server = createServer((request, response) => {
    outputs.push([
      'a request to the S3 server',
      `${request.method} ${request.url} ${request.rawHeaders.join('\n')}`,
    ]);
    request
      .resume()
      .on('end', () => response.writeHead(403, { 'content-type': 'application/xml' }).end(REFUSAL));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const endpoint = `http://127.0.0.1:${port}`;
    await start({}, { kind: 's3', endpoint, bucket: 'results' });
    await client.submitOne(STUB_SUITE, hostArchitecture(), { package: 'hello' });
    await proctor.output.line('scheduler', /SignatureDoesNotMatch|the bucket|S3/);
    expect(outputs.filter(([where]) => where === 'a request to the S3 server')).not.toEqual([]);
    outputs.push(...commandLines());
    await expectNoSecret();
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

it('a deployment that has shown a secret does not end quietly in any test', async () => {
  await start({ apps: ['api'] });
  proctor.output.add('api', `the key is ${proctor.adminKey}`);
  await expect(proctor.stop()).rejects.toThrow('not everything could be stopped');
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
  outputs.push(...commandLines());
  await writeFile(go, '');
  const run = await client.finished(runId);
  expect(run.status).toBe('pass');
  outputs.push(['result', JSON.stringify(run)]);
  expect(await ask(new URL(run.log_url ?? '', proctor.url).pathname, key)).toBe(200);
}
