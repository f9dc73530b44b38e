import { subjectOf, SUBJECTS } from '@proctor/contracts';
import { startApi } from '../../support/api';
import type { RunningApi } from '../../support/api';

let api: RunningApi;
let admin: string;
beforeAll(async () => {
  api = await startApi();
  await api.database.users.add('root', { isAdmin: true });
  admin = (await api.database.apiKeys.create('root', 'test')).key;
});
afterAll(() => api.stop());

type Json = Record<string, unknown>;

async function decide(what: string, body: Json, key = admin): Promise<[number, Json]> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await api.api(
    `/admin/${what}`,
    { method: 'POST', body: JSON.stringify(body), headers },
    key,
  );
  return [response.status, (await response.json()) as Json];
}

async function get<T = Json>(path: string, key = admin): Promise<T> {
  const response = await api.api(path, {}, key);
  expect([path, response.status]).toEqual([path, 200]);
  return (await response.json()) as T;
}

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const queue = async (suite: string, arch: string): Promise<Json> =>
  (await get<Json[]>('/queues')).find((row) => row.suite === suite && row.arch === arch)!;

it.each(['pause', 'resume', 'drain', 'undrain', 'trust', 'decisions'])(
  '%s is for administrators, who are told from others before anything else',
  async (what) => {
    const init =
      what === 'decisions' ? {} : { method: 'POST', body: 'no JSON', headers: { 'Content-Type': 'x/y' } };
    const response = await api.api(`/admin/${what}`, init);
    const { detail } = (await response.json()) as Json;
    expect([response.status, detail]).toEqual([403, expect.stringMatching(/administrators/)]);
    expect((await api.fetch(`/api/v1/admin/${what}`, init)).status).toBe(403);
  },
);

describe('a pause', () => {
  it.each<[Json, Json, string[], string]>([
    [{ suite: 'trixie', arch: 'arm64' }, { suite: 'trixie', arch: 'arm64' }, ['trixie/arm64'], 'arm64'],
    [{ suite: 'trixie' }, { suite: 'trixie', arch: null }, ['trixie/amd64', 'trixie/arm64'], 'amd64'],
    [{ arch: 'amd64' }, { suite: null, arch: 'amd64' }, ['bookworm/amd64', 'trixie/amd64'], 'amd64'],
    [
      { suite: null },
      { suite: null, arch: null },
      ['bookworm/amd64', 'bookworm/arm64', 'trixie/amd64', 'trixie/arm64'],
      'arm64',
    ],
  ])('of %j is in the books at once, and so is its end', async (scope, stored, queues, arch) => {
    const heard = new Promise((resolve) => {
      const end = api.bus.subscribe(subjectOf(SUBJECTS.ordersWaiting, arch), () => resolve(end()));
    });
    const reason = 'the mirror is away <b>';
    expect(await decide('pause', { ...scope, reason })).toEqual([200, { ...stored, by: 'root', reason }]);
    await heard;
    expect(await get('/admin/decisions')).toEqual({
      pauses: [{ ...stored, by: 'root', reason, since: time }],
      drains: [],
    });
    const paused = (await get<Json[]>('/queues', api.keys.bob)).filter((row) => row.paused !== null);
    expect(paused.map((row) => `${String(row.suite)}/${String(row.arch)}`)).toEqual(queues);
    for (const row of paused) expect(row.paused).toEqual({ by: 'root', reason, since: time });
    const page = await (await api.fetch('/')).text();
    expect(page).toMatch(/ is paused by root \(since .* UTC\): the mirror is away &lt;b&gt;/);

    const other = { ...scope, ...(scope.suite === 'trixie' ? { suite: 'bookworm' } : { suite: 'trixie' }) };
    expect(await decide('resume', other)).toMatchObject([
      404,
      { detail: expect.stringMatching(/is not paused/) },
    ]);
    expect(await decide('resume', scope)).toEqual([200, stored]);
    expect(await get('/admin/decisions')).toEqual({ pauses: [], drains: [] });
    expect((await get<Json[]>('/queues')).every((row) => row.paused === null)).toBe(true);
    expect((await decide('resume', { ...scope, reason: 'again' }))[0]).toBe(404);
  });

  it('that is there already is replaced', async () => {
    await decide('pause', { suite: 'trixie', reason: 'one' });
    await decide('pause', { suite: 'trixie', reason: 'two' });
    expect(await get('/admin/decisions')).toMatchObject({ pauses: [{ suite: 'trixie', reason: 'two' }] });
    expect(await queue('trixie', 'amd64')).toMatchObject({ paused: { reason: 'two' } });
    await decide('resume', { suite: 'trixie' });
  });

  it('takes forms too, and accepted runs wait', async () => {
    const body = new URLSearchParams({ arch: 'amd64', reason: 'x' });
    const response = await api.api('/admin/pause', { method: 'POST', body }, admin);
    expect(response.status).toBe(200);
    const runId = await api.submit('hello');
    expect(await get(`/test/${runId}`, api.keys.alice)).toMatchObject({ state: 'queued' });
    expect(await queue('bookworm', 'amd64')).toMatchObject({ estimate_seconds: null });
    expect((await decide('resume', { arch: 'amd64' }))[0]).toBe(200);
  });

  it.each<[string, Json, RegExp, string | null]>([
    ['no reason', { suite: 'trixie' }, /^reason must be .*, and is missing/, null],
    ['a reason that is null', { reason: null }, /^reason must be .*, and is missing/, '#/reason'],
    ['a blank reason', { reason: ' \n' }, /^reason must be a string of 1 to 500 characters/, '#/reason'],
    ['a long reason', { reason: 'x'.repeat(501) }, /^reason must be/, '#/reason'],
    ['NUL in the reason', { reason: 'x\0' }, /^reason must be/, '#/reason'],
    [
      'an unknown suite',
      { suite: 'sid', reason: 'x' },
      /^suite "sid" is unknown; there is bookworm, trixie\./,
      '#/suite',
    ],
    [
      'an unknown architecture',
      { arch: 'm68k', reason: 'x' },
      /^arch "m68k" is unknown; there is amd64/,
      '#/arch',
    ],
    [
      'a suite that is a number',
      { suite: 5, reason: 'x' },
      /^suite must be the name of a suite, not 5/,
      '#/suite',
    ],
    [
      'a misspelt key',
      { suit: 'trixie', reason: 'x' },
      /"suit" is unknown; there is suite, arch, reason/,
      '#/suit',
    ],
  ])('with %s is refused', async (_what, body, detail, pointer) => {
    const [status, problem] = await decide('pause', body);
    expect([status, problem.detail]).toEqual([400, expect.stringMatching(detail)]);
    if (pointer) expect(problem.errors).toMatchObject([{ pointer }]);
    expect(await get('/admin/decisions')).toEqual({ pauses: [], drains: [] });
  });
});

describe('a drain', () => {
  it('is in the books at once, and so is its end', async () => {
    const drain = { worker: 'worker-1', reason: 'new disks' };
    expect(await decide('undrain', { worker: 'worker-1' })).toMatchObject([
      404,
      { detail: 'Worker worker-1 is not drained.' },
    ]);
    expect(await decide('drain', drain)).toEqual([200, { ...drain, by: 'root' }]);
    expect(await get('/admin/decisions')).toEqual({
      pauses: [],
      drains: [{ ...drain, by: 'root', since: time }],
    });
    expect(await decide('undrain', { worker: 'worker-1' })).toEqual([200, { worker: 'worker-1' }]);
    expect(await get('/admin/decisions')).toEqual({ pauses: [], drains: [] });
  });

  it.each<[string, Json, RegExp]>([
    ['no worker', { reason: 'x' }, /^worker must be the name of a worker, and is missing/],
    ['no name', { worker: 'a.b', reason: 'x' }, /^worker must be the name of a worker, not "a\.b"/],
    ['no reason', { worker: 'w' }, /^reason must be/],
  ])('with %s is refused', async (_what, body, detail) => {
    expect(await decide('drain', body)).toMatchObject([400, { detail: expect.stringMatching(detail) }]);
  });
});

describe('trust in a worker', () => {
  const judge = (worker: string, standing: 'sound' | 'quarantined') =>
    api.commit([{ kind: 'judge-worker', worker, standing, reason: 'x' }]);

  it('is an order in the books at once, to the dispatchers that think otherwise', async () => {
    await judge('worker-2', 'quarantined');
    const heard = new Promise((resolve) => {
      const end = api.bus.subscribe(subjectOf(SUBJECTS.ordersWaiting, 'amd64'), () => resolve(end()));
    });
    const trusted = { worker: 'worker-2', reason: 'new disks' };
    expect(await decide('trust', trusted)).toEqual([
      200,
      { ...trusted, architectures: ['amd64'], by: 'root' },
    ]);
    await heard;
    const orders = await api.database.journal.orders('amd64', 100);
    expect(orders).toContainEqual({ kind: 'trust', orderId: expect.any(Number), ...trusted, by: 'root' });
    // A dispatcher has ingested it.
    await judge('worker-2', 'sound');
    expect(await decide('trust', { worker: 'worker-2' })).toMatchObject([
      409,
      { detail: 'Worker worker-2 is sound already.' },
    ]);
  });

  it.each<[string, Json, number, RegExp]>([
    ['of an unknown worker', { worker: 'workre-2' }, 404, /^No worker workre-2 is known\.$/],
    ['of no worker', { reason: 'x' }, 400, /^worker must be the name of a worker, and is missing/],
    ['for a blank reason', { worker: 'worker-2', reason: ' ' }, 400, /^reason must be/],
  ])('%s is refused', async (_what, body, status, detail) => {
    expect(await decide('trust', body)).toMatchObject([status, { detail: expect.stringMatching(detail) }]);
  });
});

describe('the workers', () => {
  const decision = { by: 'root', reason: 'new disks', since: '2026-11-20T15:40:51.123Z' };
  const worker = {
    worker: 'w2',
    slots: 2,
    busy: 1,
    testbeds: [{ suite: 'bookworm', backend: 'unshare', state: 'ready' }],
    variants: ['autopkgtest'],
    sizeClasses: ['big'],
    standing: 'slowed',
    reason: 'run 5: no space left',
    untilMs: 40_000,
    drained: decision,
  };

  it('of every architecture are told as their dispatchers see them; who does not answer is named', async () => {
    const end = api.bus.subscribe(subjectOf(SUBJECTS.status, 'amd64'), ({ respond }) => {
      const sound = {
        ...worker,
        worker: 'w1',
        standing: 'sound',
        reason: undefined,
        untilMs: undefined,
        drained: undefined,
      };
      respond?.(JSON.stringify({ arch: 'amd64', epoch: 1, workers: [worker, sound], queues: [] }));
    });
    const answer = await get('/workers', api.keys.bob);
    const page = await (await api.fetch('/')).text();
    end();
    const { testbeds, variants } = worker;
    expect(answer).toEqual({
      workers: [
        {
          ...{ name: 'w1', arch: 'amd64', slots: 2, busy: 1, standing: 'sound', reason: null, until: null },
          ...{ drained: null, problem: null, testbeds, variants, size_classes: ['big'] },
        },
        {
          ...{
            name: 'w2',
            arch: 'amd64',
            slots: 2,
            busy: 1,
            standing: 'slowed',
            reason: 'run 5: no space left',
            until: time,
          },
          ...{ drained: decision, problem: null, testbeds, variants, size_classes: ['big'] },
        },
      ],
      silent_architectures: ['arm64'],
    });
    expect(page).toMatch(
      /drained by root \(since 2026-11-20 15:40:51 UTC\): new disks; slowed until .* UTC: run 5: no space left/,
    );
    expect(await get('/workers')).toEqual({ workers: [], silent_architectures: ['amd64', 'arm64'] });
    expect((await api.fetch('/api/v1/workers')).status).toBe(403);
  });
});
