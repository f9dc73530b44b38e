import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { findFreePort } from '@proctor/embedded';
import { extract } from 'tar';
import { Machine } from '@test/support/command-line';

interface Finding {
  check: string;
  state: string;
  found: string;
  remedy: string | null;
}

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.make();
  const ports = { api: await findFreePort(), scheduler: await findFreePort() };
  await mkdir(join(machine.folder, 'login-secrets'));
  await writeFile(join(machine.folder, 'login-secrets/example'), 'the-client-secret\n');
  const provider = {
    id: 'example',
    label: 'Example',
    issuer: 'https://login.example.org',
    clientId: 'proctor',
    clientSecretFile: join(machine.folder, 'login-secrets/example'),
  };
  const server = {
    api: { metrics: { port: ports.api }, login: { providers: [provider] } },
    scheduler: { metrics: { port: ports.scheduler } },
  };
  await machine.configure('proctor.yaml', JSON.stringify(server));
  await machine.start({ PROCTOR_LOG: 'json' }).ready();
});
afterAll(() => machine.remove());

async function findings(
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: number | null; of: Map<string, Finding[]> }> {
  const { code, stdout } = await machine.program(['doctor', '--no-worker', '--json'], '', env);
  const { findings: all } = JSON.parse(stdout) as { findings: Finding[] };
  const names = [...new Set(all.map(({ check }) => check))];
  return { code, of: new Map(names.map((name) => [name, all.filter(({ check }) => check === name)])) };
}

it('`proctor doctor` finds that all is well, a line each', async () => {
  const { code, stdout, stderr } = await machine.program(['doctor']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const lines = stdout.trimEnd().split('\n');
  for (const pattern of [
    /^ok {4}configuration: .* has no mistakes$/,
    /^ok {4}database: PostgreSQL 1\d\S* answers in \d+ ms$/,
    /^ok {4}schema: up to date$/,
    /^ok {4}clock: PostgreSQL's clock and this machine's differ by 0\.\d s$/,
    /^ok {4}nats: nats-server \d\S* with JetStream answers$/,
    /^ok {4}streams: the fullest stream of reports is 0 % full$/,
    /^ok {4}accounts: /,
    /^(ok|warn) {2,4}home: .* GiB free/,
    /^(ok|warn) {2,4}store: .* GiB free/,
    /^(ok|warn) {2,4}open files: /,
    /^ok {4}service: http:\S+ \(1\.\d\S+\) is ready$/,
    /^ok {4}worker: backend unshare works$/,
  ])
    expect(lines).toContainEqual(expect.stringMatching(pattern));
});

it('`proctor doctor` says what is wrong and the one thing to do, and fails', async () => {
  const away = `postgres://p:s3cret@127.0.0.1:${await findFreePort()}/p`;
  const credentials = join(machine.folder, 'no-credentials.json');
  const { code, of } = await findings({ PROCTOR_DATABASE_URL: away, PROCTOR_NATS_CREDENTIALS: credentials });
  expect(code).toBe(1);
  expect(of.get('database')).toEqual([
    {
      check: 'database',
      state: 'fail',
      found: expect.stringContaining('the database is not available') as string,
      remedy: 'start PostgreSQL, or correct PROCTOR_DATABASE_URL',
    },
  ]);
  expect(of.get('nats')).toMatchObject([{ state: 'fail', remedy: expect.any(String) as string }]);
  expect(of.get('service')).toMatchObject([{ state: 'ok' }]);
});

it('`proctor debug` packs settings, health, metrics and logs, and no secret of the instance', async () => {
  const archive = join(machine.folder, 'debug.tar.gz');
  // What others could read before, they cannot now.
  await writeFile(archive, '');
  await chmod(archive, 0o666);
  expect(await machine.program(['debug', archive])).toMatchObject({ code: 0 });
  expect((await stat(archive)).mode & 0o777).toBe(0o600);
  const folder = join(machine.folder, 'unpacked');
  await mkdir(folder);
  await extract({ file: archive, cwd: folder });
  const names = await readdir(join(folder, 'proctor-debug'));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, 'proctor-debug', name), 'utf8')));
  const contentOf = (name: string): string => texts[names.indexOf(name)] ?? '';
  expect(contentOf('doctor.txt')).toMatch(/^ok {4}database/m);
  expect(contentOf('health.json')).toContain('"ready":true');
  expect(contentOf('queues.json')).not.toContain('not to be had');
  expect(contentOf('settings.json')).toContain('clientSecretFile');
  expect(contentOf('scheduler.metrics.txt')).toContain('proctor_owned');
  expect(contentOf('nats.log')).toContain('Server is ready');
  const secrets = await allSecrets();
  expect(secrets.length).toBeGreaterThan(7);
  const whole = texts.join('\n') + gunzipSync(await readFile(archive)).toString('latin1');
  for (const secret of secrets) expect(whole.includes(secret)).toBe(false);
});

/** Each is read where the instance keeps it, not by the code that hides it. */
async function allSecrets(): Promise<string[]> {
  const folder = join(machine.home, 'secrets');
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((each) =>
    each.isFile(),
  );
  const secretTexts = await Promise.all(
    files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')),
  );
  const seeds = secretTexts.flatMap((text) =>
    [...text.matchAll(/"seed":\s*"([^"]+)"/g)].map(([, seed]) => seed!),
  );
  const url = await machine.read('secrets/database.url');
  const key = (await machine.read('admin.key')).trim();
  return [
    (await machine.read('secrets/postgres')).trim(),
    decodeURIComponent(new URL(url).password),
    new URL(url).password,
    ...seeds,
    key,
    createHash('sha256').update(key).digest('hex'),
    (await machine.read('admin.password')).trim(),
    'the-client-secret',
  ];
}
