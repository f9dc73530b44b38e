import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectBus, parseCredentials, publicKeyOf, type Bus } from '@proctor/bus';
import { requestSubject, SUBJECTS, subjectOf } from '@proctor/contracts';
import { changeAccounts, Home } from '@proctor/embedded';
import { natsOfService, type NatsServer } from '@proctor/administration';
import { ownNats } from '@test/contract/bus/nats-server';
import { startApi, type RunningApi } from '@test/support/api';

let server: Awaited<ReturnType<typeof ownNats>>;
let api: RunningApi;
let admin: string;
/** Replaced by a test. */
let findNats: () => Promise<NatsServer>;
const buses: Bus[] = [];

const natsAt = (accounts: string) => () =>
  natsOfService(
    { PROCTOR_NATS_USERS: server.users.folder, PROCTOR_NATS_ACCOUNTS: accounts },
    server.users.path('api'),
  );

beforeAll(async () => {
  server = await ownNats();
  findNats = natsAt(join(server.folder, 'accounts.conf'));
  api = await startApi({ nats: () => findNats() });
  await api.database.users.add('root', { isAdmin: true });
  admin = (await api.database.apiKeys.create('root', 'test')).key;
  const scheduler = await connectAs('scheduler', await server.users.read('scheduler'));
  scheduler.subscribe('proctor.rpc.*.*.lease', ({ subject, respond }) =>
    respond?.(JSON.stringify({ subject })),
  );
  await scheduler.flush();
});
afterAll(async () => {
  await Promise.all(buses.map((bus) => bus.close()));
  await api?.stop();
  await server?.remove();
});

type Json = Record<string, unknown>;

async function connectAs(name: string, credentials: unknown): Promise<Bus> {
  const bus = await connectBus(parseCredentials(JSON.stringify(credentials), name), {
    makesStreams: name === 'scheduler',
  });
  buses.push(bus);
  return bus;
}

async function ask(path: string, body?: Json, key = admin): Promise<[number, Json]> {
  const { status, answer } = await answered(path, body, key);
  return [status, answer];
}

async function answered(path: string, body?: Json, key = admin) {
  const headers = { 'Content-Type': 'application/json' };
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body), headers };
  const response = await api.api(`/admin/workers${path}`, init, key);
  const cached = response.headers.get('Cache-Control');
  return { status: response.status, answer: (await response.json()) as Json, cached };
}

/** A server before 2.10 gets its signal by hand; for a later one nothing is left to do. */
async function readByServer(notice: unknown): Promise<void> {
  if (notice === null) return;
  expect(notice).toMatch(/nats-server --signal reload/);
  await changeAccounts(server.folder, await readFile(join(server.folder, 'accounts.conf'), 'utf8'));
}

const receivedFrom = async (bus: Bus, worker: string): Promise<unknown> =>
  bus.request(requestSubject('amd64', worker, 'lease'), {}, 5_000);

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

it('the API adds a worker, gives it other credentials and takes it out, as nats-server and dispatchers see', async () => {
  const signals: string[] = [];
  const hint = subjectOf(SUBJECTS.workersChanged, 'amd64');
  const end = api.bus.subscribe(hint, ({ subject }) => signals.push(subject));

  const request = { name: 'w1', architectures: ['amd64'], reason: 'new' };
  const { status, answer: added, cached } = await answered('', request);
  expect([status, added.worker, cached]).toEqual([201, 'w1', 'no-store']);
  await readByServer(added.notice);
  const first = parseCredentials(JSON.stringify(added.credentials), 'answer');
  expect(first).toMatchObject({ name: 'w1', url: server.nats.url });
  expect(await api.database.workerRegister.find('w1')).toMatchObject({
    ...{ publicKey: publicKeyOf(first), architectures: ['amd64'], mayRunPrivate: false },
  });
  const bus = await connectAs('w1', first);
  expect(await receivedFrom(bus, 'w1')).toEqual({ subject: 'proctor.rpc.amd64.w1.lease' });

  const rotated = await answered('/w1/rotate', { reason: 'a lost disk' });
  expect([rotated.status, rotated.answer.worker, rotated.cached]).toEqual([200, 'w1', 'no-store']);
  const rotation = rotated.answer;
  await readByServer(rotation.notice);
  const second = parseCredentials(JSON.stringify(rotation.credentials), 'answer');
  expect(second.seed).not.toBe(first.seed);
  await expect(connectAs('w1', first)).rejects.toThrow(/Authorization/);
  expect(await receivedFrom(await connectAs('w1', second), 'w1')).toBeDefined();

  const [revokeStatus, revoked] = await ask('/w1/revoke', { reason: 'sold' });
  expect([revokeStatus, revoked.worker]).toEqual([200, 'w1']);
  await readByServer(revoked.notice);
  await expect(connectAs('w1', second)).rejects.toThrow(/Authorization/);
  const list = await answered('');
  expect(list.answer).toEqual({
    workers: [
      {
        ...{ name: 'w1', architectures: ['amd64'], private: false, created_at: time, revoked_at: time },
        ...{ last_seen_at: null, last_seen_from: null, refusals: 0 },
        ...{ last_refusal: null, last_refused_at: null },
      },
    ],
  });
  expect(list.cached).toBe('private, no-cache');
  end();
  expect(signals).toEqual([hint, hint, hint]);
});

it('the API takes everything that the command takes', async () => {
  const ca = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
  const request = { name: 'w2', architectures: ['arm64', 'amd64', 'arm64'], private: true };
  const [status, added] = await ask('', { ...request, url: 'tls://nats.example.org:4222', ca });
  expect([status, added.credentials]).toMatchObject([201, { url: 'tls://nats.example.org:4222', ca }]);
  expect(await api.database.workerRegister.find('w2')).toMatchObject({
    ...{ architectures: ['arm64', 'amd64'], mayRunPrivate: true },
  });
  const form = new URLSearchParams({ name: 'w3', architectures: '["amd64"]', private: 'true' });
  const response = await api.api('/admin/workers', { method: 'POST', body: form }, admin);
  expect([response.status, await response.json()]).toMatchObject([201, { credentials: { name: 'w3' } }]);
});

it.each<[string, string, Json, number, RegExp]>([
  [
    'a name that is there',
    '',
    { name: 'w2', architectures: ['amd64'] },
    409,
    /^There is already a worker w2\.$/,
  ],
  ['no name', '', { architectures: ['amd64'] }, 400, /^name must be the name of a worker, and is missing\.$/],
  ['a bad name', '', { name: 'a.b', architectures: ['amd64'] }, 400, /^name must be the name of a worker/],
  [
    'no architecture',
    '',
    { name: 'w9', architectures: [] },
    400,
    /^architectures must be an array of 1 to 100/,
  ],
  [
    'no architectures at all',
    '',
    { name: 'w9' },
    400,
    /^architectures must be an array of 1 to 100 names of architectures, and is missing\.$/,
  ],
  [
    'architectures that are text',
    '',
    { name: 'w9', architectures: 'amd64' },
    400,
    /^architectures must be an array/,
  ],
  [
    'an odd one',
    '',
    { name: 'w9', architectures: ['A'] },
    400,
    /each be the name of an architecture, not "A"\.$/,
  ],
  [
    'an unknown one',
    '',
    { name: 'w9', architectures: ['m68k'] },
    400,
    /^architectures "m68k" is unknown; there is/,
  ],
  [
    'a misspelt field',
    '',
    { name: 'w9', arch: ['amd64'] },
    400,
    /"arch" is unknown; there is url, ca, reason, name/,
  ],
  [
    'a bad address',
    '',
    { name: 'w9', architectures: ['amd64'], url: 'nats://a:b@c:1' },
    400,
    /url must be nats:/,
  ],
  ['tls without ca', '/w2/rotate', { url: 'tls://c:1' }, 400, /can be trusted with a certificate only\.$/],
  ['a blank reason', '/w2/revoke', { reason: ' ' }, 400, /^reason must be a string of 1 to 500/],
  ['a name that no worker has', '/w9/rotate', {}, 404, /^There is no worker w9\.$/],
  ['a name that cannot be', '/a.b%00/revoke', {}, 404, /^There is no worker "a\.b/],
  ['one that is revoked', '/w1/revoke', {}, 409, /^Worker w1 is revoked\.$/],
])('the API refuses %s and changes nothing', async (_what, path, body, status, detail) => {
  const before = await api.database.workerRegister.list();
  expect(await ask(path, body)).toMatchObject([status, { detail: expect.stringMatching(detail) }]);
  expect(await api.database.workerRegister.list()).toEqual(before);
});

it('the register of workers is for administrators', async () => {
  for (const [path, body] of [
    ['', undefined],
    ['', {}],
    ['/w2/rotate', {}],
    ['/w2/revoke', {}],
  ] as const)
    expect(await ask(path, body, api.keys.alice)).toMatchObject([
      403,
      { detail: expect.stringMatching(/administrators/) },
    ]);
});

describe('accounts out of reach', () => {
  const away = (reason: RegExp | string, command: string) =>
    expect.stringMatching(
      new RegExp(
        `^This api cannot change the accounts of nats-server \\(.*${String(reason)}.*\\); use \`${command}\` on a machine`,
      ),
    );

  it.each<[string, () => () => Promise<NatsServer>, string]>([
    [
      'it knows none',
      () => () => natsOfService({}, '/etc/proctor/api.json'),
      'PROCTOR_NATS_USERS is not set',
    ],
    [
      'its credentials are of another than that of the home',
      () => () => natsOfService({ PROCTOR_HOME: '/var/lib/proctor' }, '/etc/proctor/api.json'),
      'PROCTOR_NATS_USERS is not set',
    ],
    ['no server reads a file there', () => natsAt(join(server.folder, 'none', 'accounts.conf')), 'ENOENT'],
  ])(
    'where this api cannot change the accounts of nats-server since %s, it says which command can',
    async (_what, find, reason) => {
      findNats = find();
      const before = await api.database.workerRegister.list();
      for (const [path, body, command] of [
        ['', { name: 'w9', architectures: ['amd64'] }, 'proctor worker add w9'],
        ['/w2/rotate', {}, 'proctor worker rotate w2'],
        ['/w2/revoke', {}, 'proctor worker revoke w2'],
      ] as const)
        expect(await ask(path, body)).toMatchObject([409, { detail: away(reason, command) }]);
      expect(await api.database.workerRegister.list()).toEqual(before);
      expect((await ask(''))[0]).toBe(200);
    },
  );
});

it('the API knows the nats-server of a home by the credentials of its services', async () => {
  const home = new Home(join(server.folder, 'home'));
  const { users } = await natsOfService({ PROCTOR_HOME: home.path }, join(home.natsUsers, 'api.json'));
  expect(users.folder).toBe(home.natsUsers);
});

it('the API says that a change is registered when nats-server does not take it', async () => {
  findNats = async () => {
    const nats = await natsAt(join(server.folder, 'accounts.conf'))();
    return { ...nats, grantAccess: () => Promise.reject(new Error('the disk is full')) };
  };
  const [status, answer] = await ask('', { name: 'w4', architectures: ['amd64'] });
  expect([status, answer]).toMatchObject([
    201,
    {
      credentials: { name: 'w4' },
      notice: 'the change is registered, and nats-server does not know of it: the disk is full',
    },
  ]);
  expect(await api.database.workerRegister.find('w4')).toMatchObject({ revokedAt: null });
});
