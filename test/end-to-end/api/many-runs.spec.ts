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

function send(path: string, body: Json, key?: string): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' };
  return api.api(path, { method: 'POST', body: JSON.stringify(body), headers }, key);
}
const cancel = (body: Json, key?: string) => send('/test/cancel', body, key);
const reprioritise = (body: Json, key?: string) => send('/test/priority', body, key);

async function answer(response: Response): Promise<[number, Json]> {
  return [response.status, (await response.json()) as Json];
}
const run = async (runId: number, key?: string): Promise<Json> =>
  (await (await api.api(`/test/${runId}`, {}, key)).json()) as Json;

/** Resolves with the architectures whose dispatchers were woken, once there are as many. */
async function woken(count: number, work: () => Promise<unknown>): Promise<string[]> {
  const heard: string[] = [];
  let enough: () => void;
  const done = new Promise<void>((resolve) => (enough = resolve));
  const ends = ['amd64', 'arm64'].map((arch) =>
    api.bus.subscribe(subjectOf(SUBJECTS.ordersWaiting, arch), () => {
      heard.push(arch);
      if (heard.length === count) enough();
    }),
  );
  await work();
  await done;
  ends.forEach((end) => end());
  return heard.sort();
}

describe('cancelling many runs', () => {
  it('ends the unfinished runs of the own key that match everything said', async () => {
    const trigger = 'gcc-15/15.2.0-1 é';
    const wanted = [
      await api.submit('many', { trigger }),
      await api.submit('many', { trigger, is_private: true }),
    ];
    const [executed, done] = [await api.submit('many', { trigger }), await api.submit('many', { trigger })];
    await api.start(executed);
    await api.finish(done);
    const others = [
      await api.submit('many', { trigger: 'gcc-15/15.2.0-2' }),
      await api.submit('many-more', { trigger }),
      await api.submit('many', { trigger }, api.keys.aliceSecond),
      await api.submit('many', { trigger }, api.keys.bob),
    ];
    expect(await answer(await cancel({ package: 'many', trigger, reason: 'superseded' }))).toEqual([
      200,
      { cancelled: [...wanted, executed] },
    ]);
    expect(await run(wanted[1]!)).toMatchObject({
      status: 'tmpfail',
      message: 'cancelled by alice: superseded',
      facts: expect.arrayContaining([
        expect.objectContaining({ kind: 'cancelled', actor: 'user alice', reason: 'superseded' }),
      ]),
    });
    expect(await run(done)).toMatchObject({ status: 'pass' });
    for (const runId of others) expect(await run(runId)).toMatchObject({ status: null });
    expect(await answer(await cancel({ package: 'many', trigger }))).toEqual([200, { cancelled: [] }]);
  });

  it('takes ids as an array or as text, and passes over those of nothing and of others', async () => {
    const own = [await api.submit('ids'), await api.submit('ids'), await api.submit('ids')];
    const foreign = await api.submit('ids', {}, api.keys.bob);
    const body = { run_ids: [own[1], own[0], own[1], foreign, 4_711_000, 0, -1, 2 ** 53 - 1] };
    expect(await answer(await cancel(body))).toEqual([200, { cancelled: [own[0], own[1]] }]);
    const form = new URLSearchParams({ run_ids: `${own[2]}, ${foreign}` });
    expect(await answer(await api.api('/test/cancel', { method: 'POST', body: form }))).toEqual([
      200,
      { cancelled: [own[2]] },
    ]);
    expect(await answer(await api.api('/test/cancel?run_ids=', { method: 'POST' }))).toEqual([
      200,
      { cancelled: [] },
    ]);
    expect(await run(foreign)).toMatchObject({ status: null });
  });

  it("reaches everyone's runs for administrators only", async () => {
    const runs = [await api.submit('all-of-it'), await api.submit('all-of-it', {}, api.keys.bob)];
    const body = { package: 'all-of-it', everyone: true };
    expect(await answer(await cancel(body))).toMatchObject([
      403,
      { detail: expect.stringMatching(/everyone/) },
    ]);
    expect(await answer(await cancel({ ...body, everyone: false }, admin))).toEqual([200, { cancelled: [] }]);
    const form = new URLSearchParams({ package: 'all-of-it', everyone: 'true' });
    const headers = { 'Auth-Key': admin };
    const response = await api.fetch('/api/v1/test/cancel', { method: 'POST', body: form, headers });
    expect(await answer(response)).toEqual([200, { cancelled: runs }]);
  });

  it('wakes the dispatchers, and those who wait for results', async () => {
    const runId = await api.submit('awake');
    const since = (Date.parse((await run(runId)).updated_at as string) + 1) / 1_000;
    const waiting = api.api(`/test?since=${since}&wait=20`);
    expect(await woken(2, () => cancel({ package: 'awake' }))).toEqual(['amd64', 'arm64']);
    const { results } = (await (await waiting).json()) as { results: Json[] };
    expect(results).toMatchObject([{ run_id: runId, status: 'tmpfail' }]);
    await api.submit('awake');
    expect(await woken(1, () => cancel({ package: 'awake', arch: 'amd64' }))).toEqual(['amd64']);
  });
});

describe('giving many runs another priority', () => {
  it('changes waiting runs of the own key', async () => {
    const waiting = [await api.submit('urgent'), await api.submit('urgent', { priority: 2 })];
    const [executed, already] = [await api.submit('urgent'), await api.submit('urgent', { priority: 9 })];
    await api.start(executed);
    const foreign = await api.submit('urgent', {}, api.keys.bob);
    const body = { package: 'urgent', suite: 'bookworm', priority: 9, reason: 'security' };
    expect(await answer(await reprioritise(body))).toEqual([200, { changed: waiting }]);
    for (const runId of [...waiting, already]) expect(await run(runId)).toMatchObject({ priority: 9 });
    for (const runId of [executed, foreign]) expect(await run(runId)).toMatchObject({ priority: 5 });
    expect((await run(waiting[0]!)).facts).toMatchObject([
      { kind: 'requested' },
      { kind: 'reprioritised', actor: 'user alice', reason: expect.stringMatching(/5.*9.*security/) },
    ]);
    expect(await answer(await reprioritise({ ...body, everyone: true }, admin))).toEqual([
      200,
      { changed: [foreign] },
    ]);
  });

  it('wakes the dispatchers', async () => {
    await api.submit('hurried');
    expect(await woken(2, () => reprioritise({ package: 'hurried', priority: 10 }))).toEqual([
      'amd64',
      'arm64',
    ]);
  });

  it.each<[string, Json, RegExp, string | null]>([
    ['no priority', { package: 'hello' }, /^priority is missing/, null],
    ['a priority that is null', { package: 'hello', priority: null }, /^priority is missing/, null],
    ['a priority of 0', { package: 'hello', priority: 0 }, /^priority .* not 0\./, '#/priority'],
    ['a priority of 11', { package: 'hello', priority: 11 }, /^priority .* not 11\./, '#/priority'],
    ['a text as priority', { package: 'hello', priority: '9' }, /^priority .* not "9"\./, '#/priority'],
    ['no selector', { priority: 3 }, /^At least one of run_ids, package, trigger, suite, arch/, null],
  ])('is refused with %s', async (_what, body, detail, pointer) => {
    const [status, problem] = await answer(await reprioritise(body));
    expect([status, problem.detail]).toEqual([400, expect.stringMatching(detail)]);
    if (pointer) expect(problem.errors).toMatchObject([{ pointer }]);
  });
});

describe.each(['cancel', 'priority'])('a request to %s', (path) => {
  const ask = (body: unknown) => send(`/test/${path}`, { priority: 3, ...(body as Json) });
  const askEach = (body: Json) => (path === 'cancel' ? cancel(body) : ask(body));

  it.each<[string, Json, RegExp, string | null]>([
    ['no selector', {}, /^At least one of run_ids, package, trigger, suite, arch is needed/, null],
    ['everyone alone', { everyone: false }, /^At least one of/, null],
    ['nothing but nulls', { package: null, suite: null }, /^At least one of/, null],
    [
      'a misspelt selector',
      { packge: 'x', suite: 'trixie' },
      /"packge" is unknown; there is suite, arch, reason, run_ids/,
      '#/packge',
    ],
    ['a bad package name', { package: 'No Such' }, /^package must be the name .* not "No Such"/, '#/package'],
    ['a package that is a number', { package: 5 }, /^package must be .* not 5/, '#/package'],
    ['NUL in the trigger', { trigger: 'a\0' }, /^trigger must be a string without NUL/, '#/trigger'],
    ['a bad suite', { suite: '../x' }, /^suite must be the name of a suite, not "..\/x"/, '#/suite'],
    ['a bad architecture', { arch: 'AMD' }, /^arch must be the name of an architecture/, '#/arch'],
    ['ids that are no integers', { run_ids: [1, 1.5] }, /^run_ids must be an array of ids/, '#/run_ids'],
    ['an id that is none', { run_ids: [1, 2 ** 53] }, /^run_ids must be an array of ids/, '#/run_ids'],
    ['a text of such an id', { run_ids: '9007199254740992' }, /^run_ids names "9007/, '#/run_ids'],
    ['ids that are texts', { run_ids: ['1'] }, /^run_ids must be an array of ids/, '#/run_ids'],
    ['a number as ids', { run_ids: 7 }, /^run_ids must be an array .* not 7/, '#/run_ids'],
    ['a text that is no id', { run_ids: '1,x' }, /^run_ids names "x"/, '#/run_ids'],
    [
      'everyone as a text',
      { package: 'hello', everyone: 'yes' },
      /^everyone must be true or false/,
      '#/everyone',
    ],
    [
      'an empty reason',
      { package: 'hello', reason: ' ' },
      /^reason must be a string of 1 to 500/,
      '#/reason',
    ],
    ['a long reason', { package: 'hello', reason: 'x'.repeat(501) }, /^reason must be/, '#/reason'],
  ])('is refused with %s', async (_what, body, detail, pointer) => {
    const [status, problem] = await answer(await askEach(body));
    expect([status, problem.detail]).toEqual([400, expect.stringMatching(detail)]);
    if (pointer) expect(problem.errors).toMatchObject([{ pointer }]);
  });

  it('has a limit of ids, needs a key, and is a POST', async () => {
    const ids = Array.from({ length: 20_001 }, (_none, index) => index + 1);
    expect((await askEach({ run_ids: ids })).status).toBe(413);
    expect((await askEach({ run_ids: ids.join(',') })).status).toBe(413);
    expect((await api.fetch(`/api/v1/test/${path}`, { method: 'POST' })).status).toBe(403);
    for (const method of ['GET', 'DELETE']) {
      const response = await api.api(`/test/${path}`, { method });
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'POST']);
    }
  });
});
