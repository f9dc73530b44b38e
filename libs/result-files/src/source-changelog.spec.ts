import { PassThrough, Readable } from 'node:stream';
import { packedArtifacts } from '@test/support/artifacts';
import { entriesBetween, parseChangelog, readSourceChangelog, SOURCE_CHANGELOG } from './source-changelog';
import { TooFar } from './block-reader';

const indexReadMs = 10_000;

const entry = (version: string, changes = '  * Something.', distribution = 'unstable'): string =>
  `hello (${version}) ${distribution}; urgency=medium\n\n${changes}\n\n -- Ada L <ada@mail.example>  Thu, 01 Jan 2026 10:00:00 +0100\n\n`;

const versionsOf = (entries: { version: string }[]): string[] => entries.map(({ version }) => version);

it('an entry of a changelog has its version, suites, urgency, changes, author and date', () => {
  const changes = '  [ Bob ]\n  * New upstream.\n    - Closes: #1\n\n  * More.';
  expect(parseChangelog(entry('1:2.10-3', changes, 'unstable experimental') + entry('1:2.10-2'))).toEqual([
    {
      version: '1:2.10-3',
      distribution: 'unstable experimental',
      urgency: 'medium',
      changes,
      author: 'Ada L',
      date: new Date('2026-01-01T09:00:00Z'),
    },
    expect.objectContaining({ version: '1:2.10-2', changes: '  * Something.' }),
  ]);
});

it.each([
  ['nothing', '', []],
  ['no changelog', 'ELF\0\x01\n', []],
  ['an entry that is cut off', entry('2') + entry('1').slice(0, -50), ['2']],
  ['a line that is none of an entry', `${entry('2')}#!/bin/sh\n${entry('1')}`, ['2']],
  ['an entry in another', entry('2').replace(' -- ', 'hello (3) x; y\n -- '), []],
  ['lines that end as on other systems', entry('2').replace(/\n/g, '\r\n'), ['2']],
  ['no date', entry('2').replace('Thu, 01 Jan 2026 10:00:00 +0100', 'yesterday'), ['2']],
])('of a changelog with %s the complete entries at its beginning count', (_what, text, versions) => {
  expect(versionsOf(parseChangelog(text))).toEqual(versions);
});

it('characters that cannot be seen are shown in their place, and a changelog has limits', () => {
  const [first] = parseChangelog(entry('1', '  * \x1b[2J\u202eevil\0\ttab'));
  expect(first!.changes).toBe('  * \ufffd[2J\ufffdevil\ufffd        tab');
  expect(parseChangelog(entry('1').repeat(2_000))).toHaveLength(500);
  expect(parseChangelog(entry(`1${'0'.repeat(300)}`))[0]!.version).toHaveLength(200);
});

it('the entries between two versions are those that are newer than the first', () => {
  const entries = parseChangelog(['2.0-1', '1.1-1', '1.0-2', '1.0-1'].map((each) => entry(each)).join(''));
  expect(versionsOf(entriesBetween(entries, '1.0-2', '2.0-1'))).toEqual(['2.0-1', '1.1-1']);
  // A version that the changelog does not have, such as one of a security archive.
  expect(versionsOf(entriesBetween(entries, '1.0-2+deb12u1', '2.0-1'))).toEqual(['2.0-1', '1.1-1']);
  expect(versionsOf(entriesBetween(entries, '1.0-1', '1.1-1'))).toEqual(['1.1-1', '1.0-2']);
  expect(versionsOf(entriesBetween(entries, '0.1', '1.0-1'))).toEqual(['1.0-1']);
  expect(versionsOf(entriesBetween(entries, null, '2.0-1'))).toEqual(['2.0-1']);
  expect(entriesBetween(entries, '1.0-1', '9')).toEqual([]);
});

describe('the changelog in the artifacts of a run', () => {
  const read = (files: Record<string, Buffer>) =>
    readSourceChangelog((name, start = 0) => {
      const content = files[name];
      return Promise.resolve(
        content ? { size: content.length, content: Readable.from([content.subarray(start)]) } : null,
      );
    }, indexReadMs);

  async function artifacts(contents: Record<string, string>) {
    const { archive, index } = await packedArtifacts(contents);
    return { 'artifacts.tar.gz': archive, 'artifacts-index.json': index };
  }

  it('is read from them', async () => {
    const files = await artifacts({ summary: 'x', [SOURCE_CHANGELOG]: entry('2') });
    expect(versionsOf(await read(files))).toEqual(['2']);
  });

  describe('in a store that stops', () => {
    beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
    afterEach(() => jest.useRealTimers());

    it('is empty when it stops in the middle of the archive, which is closed', async () => {
      const files = await artifacts({ [SOURCE_CHANGELOG]: entry('2') });
      const archive = new PassThrough();
      const opened = jest.fn((name: string) =>
        name === 'artifacts-index.json' ? Readable.from([files['artifacts-index.json']]) : archive,
      );
      const entries = readSourceChangelog(
        (name) => Promise.resolve({ size: 1_000, content: opened(name) }),
        indexReadMs,
      );
      while (opened.mock.calls.length < 2) await new Promise(setImmediate);
      await jest.advanceTimersByTimeAsync(indexReadMs);
      expect(await entries).toEqual([]);
      expect(archive.destroyed).toBe(true);
    });

    it('is not read when it stops in the middle of the index', async () => {
      const index = new PassThrough();
      const read = readSourceChangelog(() => Promise.resolve({ size: 1, content: index }), indexReadMs);
      const rejection = expect(read).rejects.toBeInstanceOf(TooFar);
      await jest.advanceTimersByTimeAsync(indexReadMs);
      await rejection;
      expect(index.destroyed).toBe(true);
    });
  });

  it('is empty without one, when it is too long, and when its archive is damaged', async () => {
    expect(await read({})).toEqual([]);
    expect(await read(await artifacts({ summary: 'x' }))).toEqual([]);
    expect(await read(await artifacts({ [SOURCE_CHANGELOG]: entry('1').repeat(12_000) }))).toEqual([]);
    const files = await artifacts({ [SOURCE_CHANGELOG]: entry('2') });
    expect(await read({ ...files, 'artifacts.tar.gz': Buffer.from('no gzip') })).toEqual([]);
  });
});
