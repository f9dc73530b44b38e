import { gzipSync } from 'node:zlib';
import { DatabaseUnavailable } from '@proctor/database';
import { apiConfiguration } from '@test/support/api-configuration';
import { silenceLog } from '@test/support/silent-log';
import { KnownSources } from './known-sources';

const DAY_MS = 24 * 3_600_000;

silenceLog();

class FewSources extends KnownSources {
  protected override readonly linesMax = 5;
}

function rig() {
  const state = {
    lists: {} as Record<string, { content: Buffer; ageMs: number }>,
    reads: [] as string[],
    isAway: false,
  };
  const names: ConstructorParameters<typeof KnownSources>[0] = {
    listSaved: () => {
      if (state.isAway) return Promise.reject(new DatabaseUnavailable('away'));
      return Promise.resolve(
        Object.entries(state.lists).map(([place, { content, ageMs }]) => {
          const [suite = '', arch = ''] = place.split('/');
          return { suite, arch, sha256: content.toString('hex'), ageMs };
        }),
      );
    },
    content: ({ suite, arch }) => {
      state.reads.push(`${suite}/${arch}`);
      return Promise.resolve(state.lists[`${suite}/${arch}`]?.content ?? null);
    },
  };
  const configuration = apiConfiguration({ sourceNamesAgeMaxMs: 7 * DAY_MS });
  return { ...state, state, sources: new FewSources(names, configuration) };
}

it('nothing is known before the first look, and each list is read once', async () => {
  const { sources, state } = rig();
  expect(sources.of('bookworm', 'amd64')).toBeNull();
  const content = gzipSync('foo\n');
  state.lists = { 'bookworm/amd64': { content, ageMs: 0 }, 'bookworm/arm64': { content, ageMs: 0 } };
  await sources.loadNew();
  await sources.loadNew();
  expect(state.reads).toEqual(['bookworm/amd64']);
  expect(sources.of('bookworm', 'arm64')?.list.has('foo')).toBe(true);
  expect(sources.of('sid', 'amd64')).toBeNull();
  state.lists = { 'bookworm/amd64': { content: gzipSync('bar\n'), ageMs: 0 } };
  await sources.loadNew();
  expect(sources.of('bookworm', 'amd64')?.list.has('foo')).toBe(false);
  expect(sources.of('bookworm', 'arm64')).toBeNull();
});

it('a list that is too old is not used, and one that is known stays while the database is away', async () => {
  const { sources, state } = rig();
  state.lists = {
    'bookworm/amd64': { content: gzipSync('foo\n'), ageMs: 6 * DAY_MS },
    'sid/amd64': { content: gzipSync('foo\n'), ageMs: 8 * DAY_MS },
  };
  await sources.loadNew();
  state.isAway = true;
  await sources.loadNew();
  expect(sources.of('sid', 'amd64')).toBeNull();
  const { seenAt } = sources.of('bookworm', 'amd64')!;
  expect(Math.round((Date.now() - seenAt.getTime()) / DAY_MS)).toBe(6);
});

it('a list that cannot be read, or that makes them too many, leaves the others', async () => {
  const { sources, state } = rig();
  state.lists = {
    'bad/amd64': { content: Buffer.from('no gzip'), ageMs: 0 },
    'bookworm/amd64': { content: gzipSync('foo\n'), ageMs: 0 },
    'large/amd64': { content: gzipSync('a1\nb1\nc1\nd1\ne1\n'), ageMs: 0 },
    'sid/amd64': { content: gzipSync('bar\n'), ageMs: 0 },
  };
  await sources.loadNew();
  const hasList = ['bad', 'bookworm', 'large', 'sid'].map((suite) => sources.of(suite, 'amd64') !== null);
  expect(hasList).toEqual([false, true, false, true]);
});
