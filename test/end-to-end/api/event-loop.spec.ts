import { randomInt } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { rm } from 'node:fs/promises';
import { request } from 'node:http';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { openDatabase, TRIGGER_RUNS_MAX } from '@proctor/database';
import { startApi } from '@test/support/api';
import { Browser, hiddenIn } from '@test/support/browser';
import { connectTo } from '@test/support/database';
import { hostArchitecture } from '@test/support/host-architecture';
import { startProctor, type RunningProctor } from '@test/support/proctor';
import { STUB_SUITE, stubConfiguration } from '@test/support/stub';
import { items, PAGE_FORMS, PAGE_QUERIES, SHAPES, type Shape } from './loop/shapes';

/** `PROCTOR_FUZZ_SEED=… PROCTOR_FUZZ_MS=…` repeats a run, or makes it longer. */
const SEED = Number(process.env.PROCTOR_FUZZ_SEED ?? randomInt(2 ** 31));
const BUDGET_MS = Number(process.env.PROCTOR_FUZZ_MS ?? 8_000);

/** Other tests run beside this one, and share its processors. */
const BUSY = 3;
/** How long a request may hold the event loop of the api, milliseconds: 50 and 20 where nothing else runs. */
const ACCEPTED_MS = 50 * BUSY;
const REFUSED_MS = 20 * BUSY;
/** What was too long is measured again: the processor may have had something else to do, as to compile or to collect. */
const TRIES = 5;
/** How often a client comes again that gets a 503. */
const ANSWERS_MAX = 20;

const LONG_BYTES = 16 * 1024 * 1024;
const SHORT_BYTES = 900 * 1024;
const PASSWORD = 'not said to anybody 7';
const SUBMISSION = `/api/v1/test/${STUB_SUITE}/${hostArchitecture()}`;

let proctor: RunningProctor;
let socketPath: string;

beforeAll(async () => {
  bare.enable();
  console.info(`seed ${SEED}`);
  socketPath = join('/tmp', `proctor-loop-${process.pid}.sock`);
  const stub = stubConfiguration();
  const unlimited = { requestsPerSecondMax: 1_000_000, requestsPerMinuteMax: 10_000_000 };
  proctor = await startProctor({
    apps: ['api'],
    config: { ...stub, proctor: { ...stub.proctor, api: unlimited } },
    env: {
      NODE_OPTIONS: `--require ${join(__dirname, 'loop/watch.cjs')}`,
      PROCTOR_TEST_LOOP: socketPath,
    },
  });
});
afterAll(async () => {
  bare.disable();
  await proctor?.stop();
  await rm(socketPath, { force: true });
});

/** Since the last look: the processor time of one turn, with that of other threads, and how late the loop was, with what else kept the machine busy. */
async function look(): Promise<number> {
  const { processorMs, delayMs } = JSON.parse(await text(createConnection(socketPath))) as {
    processorMs: number;
    delayMs: number;
  };
  // Each is at least what the loop was held for.
  return Math.min(processorMs, delayMs);
}

async function status(
  method: string,
  path: string,
  body: Buffer,
  headers: Record<string, string>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const length = body.length === 0 ? {} : { 'Content-Length': String(body.length) };
    const options = {
      method,
      agent: false,
      headers: { ...(!('Cookie' in headers) && { 'Auth-Key': proctor.adminKey }), ...length, ...headers },
    };
    const outgoing = request(proctor.url + path, options, (answer) => {
      answer.resume();
      answer.once('close', () => resolve(answer.statusCode!));
    });
    // A refusal may come while the rest is sent.
    outgoing.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EPIPE' || error.code === 'ECONNRESET' ? resolve(413) : reject(error),
    );
    outgoing.end(body);
  });
}

/** The loop of this process, on the same machine at the same time. */
const bare = monitorEventLoopDelay({ resolution: 2 });

const longest: { name: string; status: number; heldMs: number }[] = [];

/** @throws when the loop was held for too long, each time */
async function expectShort(
  name: string,
  method: string,
  path: string,
  body: Buffer,
  headers: Record<string, string>,
): Promise<number> {
  let shortest = { name, status: 0, heldMs: Infinity };
  for (let trial = 0; trial < TRIES; trial += 1) {
    await look();
    bare.reset();
    const answered = await status(method, path, body, headers);
    // What a loop waits that has nothing but this request to send, other programs make both wait.
    const heldMs = Math.max(0, (await look()) - bare.max / 1e6);
    if (answered >= 500) {
      // The database of a busy machine may be too slow for so many runs.
      if (answered === 503 && trial < TRIES - 1) continue;
      if (answered !== 503) throw new Error(`${answered} to ${name}`);
    }
    if (heldMs < shortest.heldMs) shortest = { name, status: answered, heldMs };
    if (shortest.heldMs <= (answered < 400 ? ACCEPTED_MS : REFUSED_MS)) break;
  }
  longest.push(shortest);
  if (shortest.heldMs > (shortest.status < 400 ? ACCEPTED_MS : REFUSED_MS))
    throw new Error(
      `${shortest.name} (${shortest.status}) held the event loop for ${Math.round(shortest.heldMs)} ms`,
    );
  return shortest.status;
}

const sentTo = (
  path: string,
  shape: Shape,
  bytes: number,
  more: Record<string, string> = {},
): Promise<number> =>
  expectShort(`POST ${path}, ${shape.name}`, 'POST', path, shape.of(bytes), {
    'Content-Type': shape.type,
    ...more,
  });

it('the event loop of the api does not wait for a long list, whatever it is made of', async () => {
  // What is executed for the first time is compiled.
  for (let round = 0; round < 3; round += 1)
    await status('POST', SUBMISSION, SHAPES[0]!.of(3_000_000), { 'Content-Type': 'application/json' });
  const statuses = new Map<string, number>();
  for (const shape of SHAPES) statuses.set(shape.name, await sentTo(SUBMISSION, shape, LONG_BYTES));
  expect(statuses.get('items')).toBe(201);
  expect(statuses.get('a multipart body of items')).toBe(201);
  expect(statuses.get('distinct names')).toBe(413);
  // Counted for its Idempotency-Key, too.
  expect(await sentTo(SUBMISSION, SHAPES[0]!, LONG_BYTES, { 'Idempotency-Key': `loop-${SEED}` })).toBe(201);
  // The whole list that a request may have; nothing of it is written.
  const whole = {
    name: 'the longest list',
    type: 'application/json',
    of: (bytes: number) => Buffer.from(items(bytes, 20_000)),
  };
  expect(await sentTo(`${SUBMISSION}?dry_run=true`, whole, 4_000_000)).toBe(200);
  expect(
    await sentTo(
      '/api/v1/test/batch',
      SHAPES.find(({ name }) => name === 'very many parts')!,
      LONG_BYTES,
    ),
  ).toBe(400);
});

it('a needless body is not read', async () => {
  const [{ of, type }] = [SHAPES.find(({ name }) => name === 'distinct names')!];
  for (const method of ['GET', 'HEAD', 'DELETE'])
    expect(
      await expectShort(`${method} with a body`, method, '/api/v1/auth', of(8_000_000), {
        'Content-Type': type,
      }),
    ).toBe(413);
  expect(await status('GET', '/api/v1/test?since=0', of(2_000), { 'Content-Type': type })).toBe(200);
});

it('the event loop of the api does not wait for a body that any other route is sent', async () => {
  const document = (await (await fetch(`${proctor.url}/api/v1/openapi.json`)).json()) as {
    paths: Record<string, object>;
  };
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
      // It goes on until its client ends it.
      .filter((method) => !(method === 'get' && path.endsWith('/events')))
      .map((method) => [method.toUpperCase(), path.replaceAll(/\{[^}]*\}/g, '1')] as const),
  );
  expect(routes.length).toBeGreaterThan(40);
  const draw = drawing();
  const until = Date.now() + BUDGET_MS;
  let tried = 0;
  // Each route at least once, then for as long as there is time.
  for (; tried < routes.length || Date.now() < until; tried += 1) {
    const [method, path] = routes[tried % routes.length]!;
    const shape = SHAPES[draw(SHAPES.length)]!;
    const query = [
      '',
      `?q=${'a'.repeat(12_000)}`,
      `?${'a=1&'.repeat(3_000)}`,
      `?page=${'9'.repeat(15)}&since=${'9'.repeat(300)}`,
    ][draw(4)]!;
    const bytes = method === 'POST' ? SHORT_BYTES : 50_000;
    const headers = { 'Content-Type': shape.type };
    await expectShort(
      `${method} ${path}${query.slice(0, 20)}, ${shape.name}`,
      method,
      path + query,
      shape.of(bytes),
      headers,
    );
  }
  console.info(`${tried} requests; longest:\n${longestBlocks()}`);
});

it('the event loop of the api does not wait for a page, whatever its query and its form hold', async () => {
  const listed = await startApi();
  const { routes } = listed;
  await listed.stop();
  const headers = await formHeaders();
  // A session that is over has no pages; what follows something goes on until its client ends it.
  const pages = routes.filter((route) => !/ \/api|logout|\/login|\/live|stream|:rest|\*/.test(route));
  expect(pages.length).toBeGreaterThan(60);
  const draw = drawing();
  for (const route of pages) {
    const [method = '', pattern = ''] = route.split(' ');
    const path = pattern.replaceAll(/:user\b/g, 'admin').replaceAll(/:\w+/g, '1');
    const query = PAGE_QUERIES[draw(PAGE_QUERIES.length)]!;
    const forms = method === 'GET' ? [''] : PAGE_FORMS;
    for (const form of forms) {
      const body = Buffer.from(form === '' ? '' : `${headers.form}&${form}`);
      const target = method === 'GET' ? path + query : path;
      const name = `${method} ${target.slice(0, 80)} ${form.slice(0, 20)}`;
      const type = { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin' };
      await expectShort(name, method, target, body, { Cookie: headers.cookie, Accept: 'text/html', ...type });
    }
  }
  console.info(`${pages.length} pages; longest:\n${longestBlocks()}`);
});

it('the event loop of the api does not wait for a trigger with as many runs as are read, which all fail', async () => {
  const NOTHING = Buffer.alloc(0);
  const database = await openDatabase(proctor.databaseUrl);
  await database.users.add('large', { isAdmin: false });
  const { key } = await database.apiKeys.create('large', 'laptop');
  await database.close();
  const headers = { 'Auth-Key': key, Accept: '*/*' };
  expect(await status('POST', `${SUBMISSION}/large?trigger=large/1`, NOTHING, headers)).toBe(201);
  const client = await connectTo(proctor.databaseUrl);
  await client.query(`
    insert into runs (package, suite, arch, backend, variant, priority, trigger, pin_packages, extra_apt_sources, is_private,
      requestor_id, api_key_id, created_at, updated_at, state, verdict, version, message, finished_at, error_signature)
    select 'large-' || n % 3750, suite, 'arch' || n % 8, backend, variant, priority, of.trigger, pin_packages, extra_apt_sources,
      false, requestor_id, api_key_id, now(), now(), 'finished', of.verdict, '1', '', now(), 'E: error ' || n % 5000
    from (select * from runs where trigger = 'large/1') made
      cross join generate_series(1, ${TRIGGER_RUNS_MAX}) n
      cross join (values ('migration-reference/0', 'pass'), ('large/1', 'fail')) of (trigger, verdict)`);
  // Without it, the plan depends on whether PostgreSQL has looked at the new rows by itself.
  await client.query('analyze runs');
  await client.end();
  for (const path of [
    '/triggers/large/1',
    '/triggers/large/1?group=unknown',
    '/triggers/large/1/tests.json',
    '/triggers/large/1/feed.xml',
    '/api/v1/triggers/large/1',
  ])
    expect(await statusInTheEnd(path)).toBe(200);
  console.info(longestBlocks());

  /** On a busy machine the database may take longer than a request waits: then a client comes again. */
  async function statusInTheEnd(path: string): Promise<number> {
    let code = 0;
    for (let answers = 0; answers < ANSWERS_MAX; answers += 1) {
      code = await expectShort(`GET ${path}`, 'GET', path, NOTHING, headers);
      if (code !== 503) break;
    }
    return code;
  }
});

/** The session of the administrator, and what each form of it has. */
async function formHeaders(): Promise<{ cookie: string; form: string }> {
  const database = await openDatabase(proctor.databaseUrl);
  await database.users.setPassword('admin', PASSWORD);
  await database.close();
  const browser = new Browser(proctor.url);
  await browser.logIn('admin', PASSWORD);
  const hidden = hiddenIn(await browser.textOf('/user/admin/test'));
  expect(Object.keys(hidden)).not.toEqual([]);
  return { cookie: browser.header, form: String(new URLSearchParams(hidden)) };
}

/** Numbers below a count, the same for the same seed. */
function drawing(): (count: number) => number {
  let seed = SEED;
  return (count) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * count);
  };
}

function longestBlocks(): string {
  longest.sort((a, b) => b.heldMs - a.heldMs);
  return longest
    .slice(0, 5)
    .map(({ name, status: answered, heldMs }) => `${Math.round(heldMs)} ms ${answered} ${name}`)
    .join('\n');
}
