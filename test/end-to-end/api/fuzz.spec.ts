import fc from 'fast-check';
import { openDatabase } from '@proctor/database';
import { connect } from 'node:net';
import type { Client } from 'pg';
import { ConformanceInstance } from '@test/support/conformance-instance';
import { connectTo } from '@test/support/database';
import { peerMsUntil } from '@test/support/peer-clock';
import { sendRaw, type RawAnswer } from '@test/support/raw-http';
import type { Known } from './fuzz/contents';
import { bytesOf, fuzzedRequest, type FuzzedRequest } from './fuzz/requests';
import type { Instance } from '@test/conformance/instance';

/** `PROCTOR_FUZZ_SEED=… PROCTOR_FUZZ_MS=…` repeats a run, or makes it longer. */
const SEED = Number(process.env.PROCTOR_FUZZ_SEED ?? Date.now() % 2 ** 31);
const BUDGET_MS = Number(process.env.PROCTOR_FUZZ_MS ?? 7_000);

const REQUEST_TIMEOUT_MS = 8_000;

const PUBLIC = [
  'GET /',
  'GET /health',
  'GET /api/doc',
  'GET /data/packages/{suite}/{arch}/{prefix}/{package}/latest.json',
  'GET /data/packages/{suite}/{arch}/{prefix}/{package}/history.json',
  'GET /data/packages/{suite}/{arch}/{prefix}/{package}/months.json',
  'GET /data/packages/{suite}/{arch}/{prefix}/{package}/latest-autopkgtest/log.gz',
  'GET /data/packages/{suite}/{arch}/{prefix}/{package}/latest-autopkgtest/artifacts.tar.gz',
  'GET /data/autopkgtest/{suite}/{arch}/{prefix}/{package}/{run_id}/log.gz',
  'GET /data/autopkgtest/{suite}/{arch}/{prefix}/{package}/{run_id}/artifacts.tar.gz',
  'GET /data/status/{suite}/{arch}/packages.json',
  'GET /data/status/{suite}/{arch}/status.json',
  'GET /data/status/{suite}/{arch}/history.json',
  'GET /data/feeds/{prefix}/{package}.xml',
  'GET /data/feeds/all-packages.xml',
  'GET /packages/{prefix}/{package}/{suite}/{arch}/{run_id}/',
  'GET /packages/{prefix}/{package}/{suite}/{arch}/',
  'GET /packages/{prefix}/{package}/',
  'GET /packages/{prefix}/',
  'GET /status/{suite}/{arch}/',
];

let service: ConformanceInstance;
let instance: Instance;
let database: Client;
let port: number;
let routes: string[];
let targets: Known;
let silentMs: Promise<number>;

beforeAll(async () => {
  console.info(`seed ${SEED}`);
  // Nothing but the requests may create or change runs.
  service = await ConformanceInstance.start({
    apps: ['api'],
    api: {
      headersTimeoutMs: 6_000,
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
      waitSecondsMax: 1,
      requestsPerMinuteMax: 10_000_000,
      requestsPerSecondMax: 1_000_000,
      anonymousRequestsPerMinuteMax: 10_000_000,
      anonymousRequestsPerSecondMax: 1_000_000,
    },
  });
  instance = service.seenAt();
  port = Number(new URL(service.proctor.url).port);
  database = await connectTo(service.proctor.databaseUrl);
  silentMs = peerMsUntil(silentConnections());
  silentMs.catch(() => undefined);
  const { paths } = (await instance.fetch('/api/v1/openapi.json')).json<{ paths: Record<string, object> }>();
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => ['get', 'post', 'delete', 'put', 'patch'].includes(method))
      .map((method) => `${method.toUpperCase()} ${path}`)
      // It goes on until the client or the service ends.
      .filter((route) => route !== 'GET /api/v1/events'),
  );
  expect(described.length).toBeGreaterThan(15);
  // Passwords are slow to check, and what creates is what matters most.
  const cheap = described.filter((route) => !route.includes('/keys'));
  const creating = cheap.filter((route) => route.startsWith('POST'));
  routes = [
    ...described,
    ...PUBLIC,
    ...Array<string[]>(3).fill(cheap),
    ...Array<string[]>(6).fill(creating),
  ].flat();
  const password = 'of fuzz';
  const withKeys = await openDatabase(service.proctor.databaseUrl);
  await withKeys.users.add('carol', { isAdmin: false, password });
  const keyIds = [
    (await withKeys.apiKeys.create('carol', 'one')).id,
    (await withKeys.apiKeys.create('carol', 'two')).id,
  ];
  await withKeys.close();
  targets = {
    suite: instance.suite,
    arch: instance.quietArch,
    key: instance.options.key,
    credentials: `carol:${password}`,
    keyIds,
    runIds: [
      await instance.submitOne(),
      await instance.cancelledRun(),
      await instance.submitOne({ is_private: true }),
    ],
  };
});
afterAll(async () => {
  await database?.end();
  await service?.stop();
});

function silentConnections(): Promise<unknown> {
  const host = 'HTTP/1.1\r\nHost: a\r\n';
  const post = `POST /api/v1${instance.listPath()} ${host}Content-Length: 100\r\n`;
  const key = `Auth-Key: ${instance.options.key}\r\nContent-Type: application/json\r\n`;
  const beginnings = ['GET', `GET /health ${host}`, `${post}\r\n`, `${post}${key}\r\n[`];
  return Promise.all(beginnings.map((text) => sendRaw(port, Buffer.from(text))));
}

async function runs(where = 'true', values: unknown[] = []): Promise<number> {
  const { rows } = await database.query<{ count: string }>(
    `select count(*) from runs where ${where}`,
    values,
  );
  return Number(rows[0]!.count);
}

/** How many runs the answer says were created. */
function announced(request: FuzzedRequest, answer: RawAnswer): number {
  if (answer.status !== 201 || request.method !== 'POST') return 0;
  if (request.path.includes('/keys')) return 0;
  const document = JSON.parse(answer.body) as { runs?: unknown[]; run_id?: number };
  return document.runs?.length ?? (document.run_id === undefined ? 0 : 1);
}

function expectProper(request: FuzzedRequest, answer: RawAnswer): void {
  const words = `${request.method} ${request.path}: ${answer.body.slice(0, 300)}`;
  if (answer.status === null) throw new Error(`closed without an answer: ${words}`);
  if (answer.status >= 500) throw new Error(`${answer.status} to ${words}`);
  const type = answer.headers.get('content-type');
  // Bytes that no header may hold, or an unknown Expect: refused before there is a request.
  if (type === undefined && [400, 417, 431].includes(answer.status)) return;
  const mayBePage = !request.path.startsWith('/api') && /text\/html|\*/.test(JSON.stringify(request.headers));
  if (answer.status < 400 || request.method === 'HEAD' || mayBePage) return;
  if (!type?.startsWith('application/problem+json')) throw new Error(`${answer.status} ${type} to ${words}`);
}

const limits = {
  seed: SEED,
  numRuns: 1_000_000,
  interruptAfterTimeLimit: BUDGET_MS,
  markInterruptAsFailure: false,
};

/** A list of runs to ask for. */
const submission = (text: string): [FuzzedRequest] => [
  {
    method: 'POST',
    path: `/api/v1${instance.listPath()}`,
    headers: [
      ['Auth-Key', targets.key],
      ['Content-Type', 'application/json'],
    ],
    body: Buffer.from(text),
    isChunked: false,
  },
];

it('the api answers every well-formed request properly, and creates what it says', async () => {
  let tried = 0;
  const statusCounts = new Map<number | null, number>();
  const property = fc.asyncProperty(fuzzedRequest(routes, targets), async (request) => {
    const before = await runs();
    const answer = await sendRaw(port, bytesOf(request));
    tried += 1;
    statusCounts.set(answer.status, (statusCounts.get(answer.status) ?? 0) + 1);
    expectProper(request, answer);
    expect((await runs()) - before).toBe(announced(request, answer));
  });
  // One that creates and one that is refused are there, however few are drawn on a busy machine.
  await fc.assert(property, { ...limits, examples: [submission('[{"package":"hello"}]'), submission('[')] });
  console.info(`${tried} requests: ${JSON.stringify(Object.fromEntries(statusCounts))}`);
  expect(statusCounts.get(201)).toBeGreaterThan(0);
  expect(statusCounts.get(400)).toBeGreaterThan(0);
});

it('the api answers or closes every malformed request', async () => {
  const before = await runs();
  const valid = fuzzedRequest(routes, targets).map(bytesOf);
  const broken = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.tuple(valid, fc.nat(400)).map(([bytes, length]) => bytes.subarray(0, length)),
    fc.tuple(valid, fc.nat(300), fc.uint8Array({ minLength: 1, maxLength: 4 })).map(([bytes, at, noise]) => {
      const spoiled = Buffer.from(bytes);
      spoiled.set(noise.subarray(0, Math.max(0, spoiled.length - at)), Math.min(at, spoiled.length));
      return spoiled;
    }),
    fc
      .constantFrom(
        'GET / HTTP/9.9\r\n\r\n',
        'GET / HTTP/1.1\r\n\r\n',
        'GET /api/v1/auth HTTP/1.1\r\nHost: a\r\nAuth-Key: a\r\n b\r\n\r\n',
        'POST /api/v1/test/x/y HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n',
        'POST /api/v1/test/x/y HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
        'POST /api/v1/test/x/y HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
        'POST /api/v1/test/x/y HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n',
        `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
        `GET / HTTP/1.1\r\nHost: a\r\n${'X: y\r\n'.repeat(5_000)}\r\n`,
        'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
        '\r\n\r\n\r\n',
      )
      .map((text) => Buffer.from(text)),
  );
  const statuses = new Set<number | null>();
  const property = fc.asyncProperty(broken, async (bytes) => {
    const { status } = await sendRaw(port, bytes, { end: true, cutAt: Math.floor(bytes.length / 2) });
    statuses.add(status);
    if (status !== null && status >= 500 && status !== 505)
      throw new Error(`${status} to ${JSON.stringify(bytes.toString('latin1'))}`);
  });
  const nameless: [Buffer] = [Buffer.from('GET / HTTP/1.1\r\n\r\n')];
  await fc.assert(property, {
    ...limits,
    interruptAfterTimeLimit: BUDGET_MS / 2,
    examples: [nameless],
  });
  expect(statuses).toContain(400);
  // A spoiled byte may still leave a good request: it is the accepted ones that created, and each as a whole.
  expect(await runs()).toBeGreaterThanOrEqual(before);
  expect((await instance.api('/auth')).status).toBe(200);
});

it('the api creates all of a list or nothing when the connection breaks', async () => {
  const property = fc.asyncProperty(
    fc.integer({ min: 1, max: 30 }),
    fc.nat(10_000),
    fc.boolean(),
    async (items, at, isCut) => {
      const name = instance.name('broken');
      const body = JSON.stringify(Array.from({ length: items }, () => ({ package: name })));
      const head = `POST /api/v1${instance.listPath()} HTTP/1.1\r\nHost: a\r\nAuth-Key: ${targets.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
      const bytes = Buffer.from(head + body);
      // Cut within the bytes, or whole and gone before the answer.
      await abandon(bytes.subarray(0, isCut ? at % bytes.length : undefined), isCut ? 0 : at % 5);
      for (let look = 0; look < 5; look += 1)
        expect([0, items]).toContain(await runs('package = $1', [name]));
    },
  );
  await fc.assert(property, { ...limits, interruptAfterTimeLimit: BUDGET_MS / 2 });
});

async function abandon(bytes: Buffer, afterMs: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(bytes, () => setTimeout(() => socket.destroy(), afterMs)),
    );
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
  });
}

it('the api gives back the connections of clients that fall silent', async () => {
  // Node by itself gives none back within a minute.
  expect(await silentMs).toBeLessThan(2 * REQUEST_TIMEOUT_MS);
});

it('the api is the same process as before', () => {
  const starts = service.proctor.output.of('api').filter((line) => line.includes('listening at'));
  expect(starts).toHaveLength(1);
  expect(service.proctor.output.of('api').filter((line) => /unhandled|uncaught/i.test(line))).toEqual([]);
});
