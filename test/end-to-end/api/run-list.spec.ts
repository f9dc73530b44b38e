import type { ResultResource } from '@proctor/resources';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';

let api: RunningApi;

interface Part {
  results: ResultResource[];
  before: number | null;
}

async function list(query: string, key?: string): Promise<Part> {
  const response = await api.api(`/runs${query}`, {}, key);
  expect(response.status).toBe(200);
  return (await response.json()) as Part;
}

const runIdsOf = async (query: string, key?: string) =>
  (await list(query, key)).results.map(({ run_id }) => run_id);

describe('lists of all runs, each in an api of its own', () => {
  beforeEach(async () => {
    api = await startApi();
  });
  afterEach(() => api.stop());

  it('runs are listed newest first and in parts, by what is asked for', async () => {
    const hello = await api.submit('hello', { trigger: 'glibc/2.40-4 gcc/14-1' });
    const failedRun = await api.submit('figlet');
    await api.finish(failedRun, { verdict: 'fail' });
    const empty = await api.submit('empty', { trigger: 'glibc/2.40-4' });
    await api.finish(empty, { verdict: 'neutral' });
    const other = await api.submit('other', {}, api.keys.bob);
    expect(await runIdsOf('')).toEqual([other, empty, failedRun, hello]);
    expect(await runIdsOf('?package=hello')).toEqual([hello]);
    expect(await runIdsOf('?status=fail,tmpfail')).toEqual([failedRun]);
    expect(await runIdsOf('?status=pass')).toEqual([empty]);
    expect(await runIdsOf('?state=queued&requestor=alice')).toEqual([hello]);
    expect(await runIdsOf('?trigger=glibc/2.40-4')).toEqual([empty, hello]);
    expect(await runIdsOf('?trigger=glibc%2F2.40-4+gcc%2F14-1')).toEqual([hello]);
    expect(await runIdsOf('?suite=bookworm&arch=amd64&requestor=bob')).toEqual([other]);
    expect(await runIdsOf('?suite=sid')).toEqual([]);
    expect(await runIdsOf(`?since=${Date.now() / 1000 + 60}`)).toEqual([]);
    const first = await list('?limit=3');
    expect([first.results.length, first.before]).toEqual([3, failedRun]);
    expect(await list(`?limit=3&before=${first.before}`)).toMatchObject({
      results: [{ run_id: hello }],
      before: null,
    });
  });

  it('a private run is listed for its key and for administrators alone', async () => {
    const secret = await api.submit('hello', { is_private: true, trigger: 'glibc/1' });
    await api.database.users.add('root', { isAdmin: true });
    const { key: admin } = await api.database.apiKeys.create('root', 'test');
    for (const query of ['', '?package=hello', '?trigger=glibc/1', '?requestor=alice']) {
      expect(await runIdsOf(query)).toEqual([secret]);
      expect(await runIdsOf(query, admin)).toEqual([secret]);
      expect(await runIdsOf(query, api.keys.bob)).toEqual([]);
      expect(await runIdsOf(query, api.keys.aliceSecond)).toEqual([]);
    }
    expect((await api.api('/triggers/glibc/1')).status).toBe(200);
    expect((await api.api('/triggers/glibc/1', {}, api.keys.bob)).status).toBe(404);
    await api.finish(secret);
    expect(await runIdsOf('?package=hello')).toEqual([secret]);
    expect(await runIdsOf('?package=hello', api.keys.bob)).toEqual([]);
  });

  it('runs are listed by a pattern of packages, each part among so many of the runs that the reader may see', async () => {
    const ids: number[] = [];
    for (const name of ['libone', 'other', 'libtwo', 'a.b', 'axb'])
      ids.push(await api.submit(name, { is_private: name === 'libtwo' }));
    const [one, , two, dotted] = ids as [number, number, number, number];
    expect(await runIdsOf('?package=lib*')).toEqual([two, one]);
    expect(await runIdsOf('?package=lib*', api.keys.bob)).toEqual([one]);
    expect(await runIdsOf('?package=*.b')).toEqual([dotted]);
    expect(await runIdsOf('?package=*&suite=sid')).toEqual([]);
    expect(await list('?package=lib*&limit=1')).toMatchObject({ results: [{ run_id: two }], before: two });
    expect(await list(`?package=lib*&limit=1&before=${two}`)).toMatchObject({
      results: [{ run_id: one }],
      before: null,
    });
    const parts: [number[], number | null][] = [];
    for (let before: number | undefined, isEnd = false; !isEnd;) {
      const part = await api.database.runSearch.findAmong({ package: 'lib*' }, {}, 50, before, 2);
      parts.push([part.runs.map(({ runId }) => runId), part.next]);
      [before, isEnd] = [part.next ?? undefined, part.next === null];
    }
    // That of the private run is in no part, and at the end of none.
    expect(parts).toEqual([
      [[], dotted],
      [[one], one],
      [[], null],
    ]);
  });

  it('a trigger lists its tests with what the reference runs say', async () => {
    const reference = async (name: string, verdict: 'pass' | 'fail') =>
      api.finish(await api.submit(name, { trigger: 'migration-reference/0' }), { verdict });
    await reference('worse', 'pass');
    await reference('same', 'fail');
    for (const name of ['worse', 'same', 'new']) {
      await api.finish(await api.submit(name, { trigger: 'glibc/2.40-4' }), { verdict: 'fail' });
    }
    await api.submit('waits', { trigger: 'glibc/2.40-4' });
    const trigger = (await (await api.api('/triggers/glibc/2.40-4')).json()) as {
      tests: { group: string; result: ResultResource; reference: { status: string } | null }[];
    };
    expect(trigger).toMatchObject({ trigger: 'glibc/2.40-4', total: 4, done: 3, is_cut: false });
    expect(
      trigger.tests.map(({ group, result, reference }) => [group, result.package, reference?.status]),
    ).toEqual([
      ['regression', 'worse', 'pass'],
      ['unknown', 'new', undefined],
      ['as-before', 'same', 'fail'],
      ['waiting', 'waits', undefined],
    ]);
    expect((await api.api('/triggers/migration-reference/0')).status).toBe(404);
  });
});

describe('refusals, which leave nothing behind', () => {
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.stop());

  it.each([
    'package=..',
    'package=A*',
    'package=%25*',
    'suite=a/b',
    'status=unknown',
    'state=gone',
    'since=yesterday',
    'before=0',
    'limit=501',
    'limit=0',
    'trigger=%00',
    'colour=red',
    'package=hello&package=figlet',
  ])('a list of runs asked for with %s is refused', async (query) => {
    const response = await api.api(`/runs?${query}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      400,
      'application/problem+json; charset=utf-8',
    ]);
  });

  it('a list of runs and a trigger need a key', async () => {
    expect((await api.fetch('/api/v1/runs')).status).toBe(403);
    expect((await api.fetch('/api/v1/triggers/glibc/1')).status).toBe(403);
  });
});
