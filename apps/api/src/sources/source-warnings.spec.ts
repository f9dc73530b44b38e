import { atOnce } from '../http/slices';
import { SourceList } from './source-list';
import { NAMED_MAX, SEARCHES_MAX, sourceWarnings } from './source-warnings';

const DAY_MS = 24 * 3_600_000;
const LIST = atOnce(
  SourceList.read('foo\nlibfoo1 foo\nlibfoo1 foo-legacy\nno-such\nno-such-doc no-such\nnosuch2\n'),
);

const lists = (ageMs = 0, list = LIST) => {
  const entry = { list, seenAt: new Date(Date.now() - ageMs) };
  return { entry, of: (suite: string) => (suite === 'bookworm' ? entry : null) };
};

const run = (name: string, changes: object = {}) => ({
  package: name,
  suite: 'bookworm',
  arch: 'amd64',
  pinPackages: [],
  extraAptSources: [],
  ...changes,
});

const warningsOf = (...runs: ReturnType<typeof run>[]) => atOnce(sourceWarnings(runs, lists()));

it.each([
  ['foo', []],
  ['nosuch', ['bookworm has no source package "nosuch"; did you mean "no-such" or "nosuch2"?']],
  ['something-else', ['bookworm has no source package "something-else".']],
  [
    'no-such-doc',
    ['bookworm has no source package "no-such-doc"; no-such-doc is a binary package of the source no-such.'],
  ],
  [
    'libfoo1',
    [
      'bookworm has no source package "libfoo1"; libfoo1 is a binary package of the source foo and foo-legacy.',
    ],
  ],
])('a request for %s has the warnings %j', (name, sentences) => {
  expect(warningsOf(run(name))).toEqual(sentences);
});

it.each([
  ['pins', { pinPackages: [['src:nosuch', 'sid']] }],
  ['pins of the suite', { pinPackages: [['src:foo,nosuch', 'bookworm']] }],
  ['pins and extra apt sources', { pinPackages: [['src:nosuch', 'bookworm']], extraAptSources: ['ours'] }],
  ['extra apt sources', { extraAptSources: ['ours'] }],
  ['a suite without a known list', { suite: 'sid' }],
])('a package that may come from %s causes no warning', (_where, changes) => {
  expect(warningsOf(run('nosuch', changes))).toEqual([]);
});

it('a pin that names a source package that its suite does not have is named', () => {
  const pinPackages = [['libfoo1,src:foo,src:nosuch', 'bookworm']];
  expect(warningsOf(run('helo', { pinPackages, suite: 'sid' }))).toEqual([
    'bookworm has no source package "nosuch", which the pin "src:nosuch" names; did you mean "no-such" or "nosuch2"?',
  ]);
});

it('at most as many packages are looked up as a request may name', () => {
  const spec = Array.from({ length: SEARCHES_MAX }, (_, n) => `src:x${n}`).join(',');
  const sentences = warningsOf(run('foo', { pinPackages: [[spec, 'bookworm']] }), run('nosuch'));
  expect(sentences.at(-1)).toBe(
    `${SEARCHES_MAX - NAMED_MAX} more source packages are in none of the suites that were asked for.`,
  );
});

it('a package is named once, and of many the first ten', () => {
  const runs = Array.from({ length: 25 }, (_, n) => [`x-${n}`, 'amd64']).flatMap(([name]) => [
    run(name!),
    run(name!, { arch: 'arm64' }),
  ]);
  const sentences = warningsOf(...runs);
  expect(sentences).toHaveLength(NAMED_MAX + 1);
  expect(sentences[NAMED_MAX - 1]).toMatch(/"x-9"/);
  expect(sentences[NAMED_MAX]).toBe('15 more source packages are in none of the suites that were asked for.');
});

it('a list that was last seen to be right more than a day ago is named with that date', () => {
  const old = lists(3 * DAY_MS);
  const [sentence] = atOnce(sourceWarnings([run('else')], old));
  const date = old.entry.seenAt.toISOString().slice(0, 10);
  expect(sentence).toMatch(
    new RegExp(`^bookworm has no source package "else", as of ${date} \\d\\d:\\d\\d UTC\\.$`),
  );
});

it.each([
  ['nosuch', ['Did you mean "no-such" or "nosuch2"?']],
  ['no-such-doc', ['no-such-doc is a binary package of the source no-such.']],
  ['something-else', []],
])('of %s, which a run has not found, what may have been meant is said: %j', (name, sentences) => {
  expect(warningsOf(run(name), run(name, { verdict: 'absent' }))).toEqual(sentences);
});
