import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { connectBus, NatsUsers, parseCredentials, publicKeyOf, type Bus } from '@proctor/bus';
import { requestSubject } from '@proctor/contracts';
import type { OpenDatabase, WorkerRecord } from '@proctor/database';
import { changeAccounts } from '@proctor/embedded';
import { type RunningApi, startApi } from '@test/support/api';
import { Machine } from '@test/support/command-line';
import type { Finished } from '@test/support/typed-commands';
import { ownNats } from '@test/contract/bus/nats-server';

Logger.overrideLogger(false);

/** A server before 2.10 gets its signal to read its accounts again by hand. */
const LIST = 'proctor worker list --registered shows all workers\n';
const ADVICE = String.raw`(\S*accounts.conf was written, and [^]*nats-server --signal reload; .*\n)?$`;

let server: Awaited<ReturnType<typeof ownNats>>;
let address: string;
let machine: Machine;
let api: RunningApi;
let database: OpenDatabase;
beforeAll(async () => {
  server = await ownNats();
  address = server.nats.url;
  machine = await Machine.make();
  await machine.configure('proctor.yaml', 'suites: [sid]\narchitectures: [amd64, i386]\n');
  await mkdir(machine.home);
  api = await startApi({ server: { suites: ['sid'], architectures: ['amd64', 'i386'] } });
  database = api.database;
  await database.users.add('admin', { isAdmin: true });
  await database.users.add('root', { isAdmin: true });
});
afterAll(async () => {
  await api?.stop();
  await machine?.remove();
  await server?.remove();
});

const urls = () => ({
  PROCTOR_DATABASE_URL: api.databaseUrl,
  PROCTOR_URL: api.url,
  PROCTOR_NATS_USERS: server.users.folder,
});
const proctor = (args: string[], env: NodeJS.ProcessEnv = {}): Promise<Finished> =>
  machine.proctor(['worker', ...args], '', { ...urls(), ...env });
/** As a process of its own. */
const program = (args: string[]): Promise<Finished> => machine.program(['worker', ...args], '', urls());
const file = (name: string): string => join(machine.folder, name);
const find = (name: string): Promise<WorkerRecord | null> => database.workerRegister.find(name);

it('proctor worker add prints the credentials alone, and registers the key that belongs to them', async () => {
  const { code, stdout, stderr } = await program(['add', 'w1', '--arch', 'amd64']);
  expect(code).toBe(0);
  expect(stderr).toMatch(new RegExp(String.raw`^worker w1 added \(amd64\)\n` + ADVICE));
  const credentials = parseCredentials(stdout, 'standard output');
  expect(credentials).toMatchObject({ name: 'w1', url: address });
  expect(await find('w1')).toMatchObject({
    ...{ name: 'w1', publicKey: publicKeyOf(credentials), architectures: ['amd64'], mayRunPrivate: false },
  });
});

it('proctor worker add takes several architectures, the right to private tests, an address and a certificate', async () => {
  await writeFile(file('ca.pem'), '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n');
  const what = ['--arch', 'i386', '--arch', 'amd64', '--arch', 'i386', '--private'];
  const how = ['--url', 'tls://nats.example.org:4222', '--ca', file('ca.pem'), '--reason', 'new'];
  const { stdout, stderr } = await program(['add', 'w2', ...what, ...how]);
  expect(stderr).toMatch(/^worker w2 added \(i386, amd64, private tests too\)\n/);
  expect(parseCredentials(stdout, 'w2')).toMatchObject({ url: 'tls://nats.example.org:4222' });
  expect(await find('w2')).toMatchObject({ architectures: ['i386', 'amd64'], mayRunPrivate: true });
});

it('proctor worker add writes them into a file for its owner alone, and nothing to standard output', async () => {
  const result = await program(['add', 'w3', '--arch', 'amd64', '--out', file('w3.json')]);
  expect(result).toMatchObject({ code: 0, stdout: '' });
  expect(result.stderr).toMatch(/^worker w3 added \(amd64\)\n/);
  expect((await stat(file('w3.json'))).mode & 0o777).toBe(0o600);
  const credentials = parseCredentials(await readFile(file('w3.json'), 'utf8'), 'w3.json');
  expect((await find('w3'))?.publicKey).toBe(publicKeyOf(credentials));
});

it.each([
  ['a name that is there', ['w1', '--arch', 'amd64'], `there is already a worker w1\n${LIST}`],
  [
    'an unknown architecture',
    ['w4', '--arch', 'amd46'],
    'architectures "amd46" is unknown; there is amd64, i386\ntype the command again with another one\n',
  ],
  ['an address with a password', ['w4', '--arch', 'amd64', '--url', 'nats://a:b@c:1'], /url/],
])('proctor worker add with %s adds nothing and leaves no file', async (_what, args, message) => {
  const { code, stdout, stderr } = await proctor(['add', ...args, '--out', file('w4.json')]);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr.replace('proctor: ', '')).toEqual(
    typeof message === 'string' ? message : expect.stringMatching(message),
  );
  expect(await find('w4')).toBeNull();
  await expect(stat(file('w4.json'))).rejects.toThrow('ENOENT');
});

it('proctor worker add overwrites no file', async () => {
  await writeFile(file('kept.json'), 'mine');
  const { code, stderr } = await proctor(['add', 'w4', '--arch', 'amd64', '--out', file('kept.json')]);
  expect([code, stderr]).toEqual([
    1,
    `proctor: out: ${file('kept.json')} exists already: choose another file\n${LIST}`,
  ]);
  expect(await readFile(file('kept.json'), 'utf8')).toBe('mine');
  expect(await find('w4')).toBeNull();
});

it.each([
  ['no architecture', ['add', 'w4'], /--arch/],
  ['a bad name', ['add', 'a.b', '--arch', 'amd64'], /the name of a worker/],
  ['a bad architecture', ['add', 'w4', '--arch', 'A'], /the name of an architecture/],
  ['a blank reason', ['revoke', 'w1', '--reason', ' '], /1 to 500 characters/],
  ['no name', ['rotate'], /name/],
])('proctor worker add with %s is no command: exit code 2', async (_what, args, message) => {
  const { code, stdout, stderr } = await proctor(args);
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)]);
});

it('proctor worker rotate prints new credentials, whose key takes the place of the one before', async () => {
  const before = (await find('w1'))!;
  const { code, stdout, stderr } = await program(['rotate', 'w1', '--reason', 'a lost disk']);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^worker w1 has new credentials\n/);
  const publicKey = publicKeyOf(parseCredentials(stdout, 'standard output'));
  expect(publicKey).not.toBe(before.publicKey);
  expect(await find('w1')).toEqual({ ...before, publicKey });
});

it('proctor worker rotate knows no worker that is unknown or revoked', async () => {
  const { stdout, stderr } = await proctor(['rotate', 'w9', '--out', file('w9.json')]);
  expect([stdout, stderr]).toEqual(['', `proctor: there is no worker w9\n${LIST}`]);
  await expect(stat(file('w9.json'))).rejects.toThrow('ENOENT');
  await proctor(['revoke', 'w3']);
  expect((await proctor(['rotate', 'w3'])).stderr).toBe(`proctor: worker w3 is revoked\n${LIST}`);
});

it('proctor worker revoke and list take a worker out, once, and show which workers exist, what was received and what was refused', async () => {
  const { code, stdout, stderr } = await program(['revoke', 'w2', '--reason', 'sold']);
  expect([code, stdout]).toEqual([0, '']);
  expect(stderr).toMatch(/^worker w2 is revoked\n/);
  expect((await proctor(['revoke', 'w2'])).stderr).toBe(`proctor: worker w2 is revoked\n${LIST}`);
  expect((await proctor(['revoke', 'w9'])).stderr).toBe(`proctor: there is no worker w9\n${LIST}`);
  await database.workerRegister.recordSeen(
    [{ worker: 'w1', from: '192.0.2.7' }],
    [{ worker: 'w2', count: 3, reason: 'it was revoked' }],
  );
  const { stdout: list } = await proctor(['list', '--registered']);
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\S+Z$/);
  expect(list.split('\n').map((line) => line.split('\t'))).toEqual([
    ['w1', 'amd64', 'no', time, '', time, '192.0.2.7', '0', '', ''],
    ['w2', 'i386,amd64', 'yes', time, time, '', '', '3', time, 'it was revoked'],
    ['w3', 'amd64', 'no', time, time, '', '', '0', '', ''],
    [''],
  ]);
});

it('proctor worker revoke and list let the name be given again', async () => {
  expect((await proctor(['add', 'w2', '--arch', 'amd64'])).code).toBe(0);
  expect(await find('w2')).toMatchObject({ revokedAt: null, architectures: ['amd64'], refusals: 0 });
});

describe('the dispatchers', () => {
  let bus: Bus;
  beforeAll(async () => (bus = await connectBus(server.operator)));
  afterAll(() => bus.close());

  it('the dispatchers of every architecture that a change concerns get a signal at once', async () => {
    await database.ownershipRegister.claim('s390x', 'scheduler-1', 60_000);
    const subjects: string[] = [];
    for (const arch of ['amd64', 's390x'])
      bus.subscribe(`proctor.command.${arch}.workers`, ({ subject }) => subjects.push(subject));
    await bus.flush();
    await program(['add', 'w5', '--arch', 'amd64']);
    await program(['rotate', 'w5']);
    await program(['revoke', 'w5']);
    await bus.flush();
    const both = ['proctor.command.amd64.workers', 'proctor.command.s390x.workers'];
    expect(subjects).toEqual([...both, ...both, ...both]);
  });

  it('the dispatchers find it by themselves when NATS is away or unknown: the change is in the books', async () => {
    await new NatsUsers(file('away')).prepare('nats://127.0.0.1:1');
    const away = await proctor(['add', 'w6', '--arch', 'amd64'], { PROCTOR_NATS_USERS: file('away') });
    expect(away).toMatchObject({ code: 0, stdout: expect.stringContaining('"seed"') });
    expect(away.stderr).toMatch(/^worker w6 added.*\n[^]*the dispatchers got no signal and follow/);
  });

  it('where the accounts are not known, the api decides, which says where the command is to be typed', async () => {
    expect(await proctor(['revoke', 'w6'], { PROCTOR_NATS_USERS: undefined })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^proctor: this api cannot change .*PROCTOR_NATS_USERS is not set\); use `proctor worker revoke w6` on a machine/m,
      ),
    });
    expect((await find('w6'))?.revokedAt).toBeNull();
  });
});

describe('eight commands at once', () => {
  const names = Array.from({ length: 8 }, (_, index) => `at-once-${index}`);
  let scheduler: Bus;
  const workers: Bus[] = [];
  beforeAll(async () => {
    scheduler = await connectBus(await server.users.read('scheduler'), { makesStreams: true });
    scheduler.subscribe('proctor.rpc.*.*.lease', ({ subject, respond }) =>
      respond?.(JSON.stringify({ subject })),
    );
    await scheduler.flush();
  });
  afterAll(() => Promise.all([scheduler, ...workers].map((bus) => bus?.close())));

  it('eight commands at once lose no account: each of the workers is let in and served', async () => {
    // From here on the server knows the users of a deployment alone, and no operator.
    const env = { PROCTOR_NATS_ACCOUNTS: join(server.folder, 'accounts.conf') };
    const added = await Promise.all(
      names.map((name) =>
        machine.program(['worker', 'add', name, '--arch', 'amd64'], '', { ...urls(), ...env }),
      ),
    );
    for (const [index, { code, stderr }] of added.entries())
      expect([code, stderr]).toEqual([0, expect.stringMatching(`^worker ${names[index]} added `)]);
    // A server before 2.10 gets its signal by hand.
    if (added.some(({ stderr }) => stderr.includes('--signal reload')))
      await changeAccounts(server.folder, await readFile(env.PROCTOR_NATS_ACCOUNTS, 'utf8'));
    expect(added.map(({ stderr }) => stderr).filter((text) => text.includes('does not know'))).toEqual([]);
    const subjects: unknown[] = [];
    for (const [index, name] of names.entries()) {
      const bus = await connectBus(parseCredentials(added[index]!.stdout, name));
      workers.push(bus);
      subjects.push(await bus.request(requestSubject('amd64', name, 'lease'), {}, 5_000));
    }
    expect(subjects).toEqual(names.map((name) => ({ subject: `proctor.rpc.amd64.${name}.lease` })));
  });
});
