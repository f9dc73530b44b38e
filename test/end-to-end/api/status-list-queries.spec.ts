import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { pageOf } from '@test/support/pages';

let api: RunningApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

it.each([
  ['suite=sid,a%20b', 'suite must be names of suites, and "a b" is none.'],
  ['arch=%3C', 'arch must be names of architectures, and "<" is none.'],
  ['package=a%25', 'package must be the name of a package, with * for anything, not "a%".'],
  ['package=a&package=b', 'package must be one text, not an array.'],
  ['since=yesterday', 'since must be a day as YYYY-MM-DD, or a UNIX timestamp in seconds, not "yesterday".'],
  [
    'since=2026-13-01',
    'since must be a day as YYYY-MM-DD, or a UNIX timestamp in seconds, not "2026-13-01".',
  ],
  ['minutes=0', 'minutes must be a whole number from 1 to 100000, not "0".'],
  ['after=x', 'after must be what the part of the list before named, not "x".'],
  [
    'after=-200000-01-01T00:00:00.000Z/hello/sid/amd64',
    'after must be what the part of the list before named, not "-200000-01-01T00:00:00.000Z/hello/sid/amd64".',
  ],
  ['after=2026-01-01/a', 'after must be what the part of the list before named, not "2026-01-01/a".'],
])('a list is refused with the field and its value when asked for %s', async (query, detail) => {
  for (const form of ['/', '.json', '.xml']) {
    const response = await api.fetch(`/status/failing${form}?${query}`);
    expect([response.status, await response.json()]).toMatchObject([400, { detail }]);
  }
});

it('there is no list of another name', async () => {
  for (const path of ['gone/', 'gone.json', 'gone.xml', 'pending/gone/'])
    expect([path, (await api.fetch(`/status/${path}`)).status]).toEqual([path, 404]);
});

it('a list has as many entries as are counted, of those that are asked for', async () => {
  for (const name of ['one', 'two', 'other'])
    await api.finish(await api.submit(name), { verdict: name === 'other' ? 'tmpfail' : 'fail' });
  for (let time = 0; time < 8; time += 1)
    await api.finish(await api.submit('wavering'), { verdict: time % 2 ? 'pass' : 'fail' });
  const mismatched = { trigger: 'wavering/9-9' };
  for (const is_private of [true, false])
    await api.finish(await api.submit('wavering', { ...mismatched, is_private }));
  for (const is_private of [true, false]) await api.submit('one', { is_private });
  while (await api.database.statusProjection.step('amd64'));
  const lists = api.database.statusLists;
  const counts = async (name: string | null, suite = 'bookworm') => {
    const filter = { suites: [suite], architectures: null, package: name };
    const queries = [
      [lists.failing(filter, 100, null), lists.count('failing', filter)],
      [lists.broken(filter, 100, null), lists.count('broken', filter)],
      [lists.flaky(filter, 100, null), lists.count('flaky', filter)],
      [lists.slow(filter, 100, null, 10), lists.count('slow', filter, 10)],
      [lists.listChanged(filter, 100, null, new Date(0)), lists.count('changed', filter, new Date(0))],
      [lists.mismatches(filter, 100, null), lists.countMismatches(filter)],
      [lists.waiting(filter, 100, null), lists.count('waiting', filter)],
    ] as const;
    for (const [entries, count] of queries)
      expect(await count).toEqual({ count: (await entries).length, isMore: false });
    return Promise.all(queries.map(async ([, count]) => (await count).count));
  };
  expect(await counts(null)).toEqual([2, 1, 1, 3, 3, 1, 1]);
  expect(await counts('o*')).toEqual([1, 1, 0, 1, 1, 0, 1]);
  expect(await counts(null, 'trixie')).toEqual([0, 0, 0, 0, 0, 0, 0]);
});

it('a list is read in parts that follow each other', async () => {
  const body = JSON.stringify({ tests: Array.from({ length: 203 }, () => ({ package: 'many' })) });
  await api.api('/test/trixie/arm64', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
  });
  const runIds: number[] = [];
  const lengths: number[] = [];
  for (let path: string | null = '/status/pending.json?suite=trixie'; path !== null;) {
    const part = (await (await api.fetch(path)).json()) as {
      items: { run_id: number }[];
      next: string | null;
    };
    runIds.push(...part.items.map((item) => item.run_id));
    lengths.push(part.items.length);
    path = part.next;
  }
  expect(lengths).toEqual([100, 100, 3]);
  expect(new Set(runIds).size).toBe(203);
  expect(runIds).toEqual([...runIds].sort((one, other) => one - other));
  const first = await pageOf(api, '/status/pending/?suite=trixie');
  expect(first).toContain(
    '203 waiting runs (suite trixie), by priority, then by time of request (60 shown).',
  );
  const next = /href="([^"]*)" rel="next"/.exec(first)![1]!.replaceAll('&amp;', '&');
  expect(await pageOf(api, next)).toContain('60 more of 203 waiting runs (suite trixie).');
  const numbered = async (query: string): Promise<unknown[]> => {
    const { status, headers } = await api.fetch(`/status/pending/${query}`);
    return [query, status, headers.get('location')];
  };
  const path = '/status/pending/?suite=trixie';
  expect(await numbered('?suite[]=trixie&page=1')).toEqual(['?suite[]=trixie&page=1', 302, path]);
  expect(await numbered('trixie/?page=2')).toEqual(['trixie/?page=2', 302, next]);
  expect(await numbered('trixie/?page=5')).toEqual(['trixie/?page=5', 200, null]);
  expect(await numbered('?page=21')).toEqual(['?page=21', 200, null]);
  expect(await numbered('?page=one')).toEqual(['?page=one', 400, null]);
});
