import { apiConfiguration } from '@test/support/api-configuration';
import { refusalOf } from '@test/support/refusal';
import { runRequest } from '@test/support/run-request';
import { keysOf } from '../http/shape';
import { jsonParameters } from '../http/parameters';
import { accept } from './accept';
import type { Submission } from './accept';
import { TestListPipe } from './submission.pipes';
import { submittedAt } from './submitted-items';
import { TestOptions } from '@proctor/resources';
import { atOnce } from '../http/slices';

const configuration = apiConfiguration();

interface Circumstances {
  user?: string;
  suite?: string;
  arch?: string;
  priority?: number;
}

function submit(
  tests: unknown,
  { user = 'bob', suite = 'bookworm', arch = 'amd64', priority }: Circumstances = {},
): Submission {
  const parameters = jsonParameters({ tests, priority: priority ?? null });
  const items = atOnce(new TestListPipe(configuration).steps(parameters));
  return atOnce(accept(submittedAt(items, suite, arch), user, configuration));
}

/** Pins of so many bytes in all. */
function pinsOf(bytes: number) {
  const suite = 'trixie';
  const count = Math.floor((bytes - suite.length) / 200);
  const names = Array.from({ length: count }, () => 'x'.repeat(199));
  const rest = bytes - suite.length - names.join(',').length - 1;
  return { 'pin-packages': [[[...names, 'y'.repeat(rest)].join(','), suite]] };
}

function sourcesOf(count: number) {
  return { 'extra-apt-sources': Array.from({ length: count }, () => 'backports') };
}

it('what an item leaves open is filled in', () => {
  expect(submit([{ package: 'hello' }]).runs).toEqual([runRequest()]);
});

it('everything that an item says is taken', () => {
  const item = {
    package: 'hello',
    trigger: ' glibc/2.40\n\u2028',
    'pin-packages': [
      ['src:glibc, libc6'.replace(' ', ''), 'trixie'],
      ['hello', 'bookworm'],
    ],
    is_private: true,
    'extra-apt-sources': ['backports', 'inner'],
    backend: 'qemu',
    autopkgtest: 'newest',
    priority: 9,
  };
  expect(submit([item], { user: 'alice', priority: 2 }).runs[0]).toMatchObject({
    trigger: ' glibc/2.40\n\u2028',
    pinPackages: item['pin-packages'],
    isPrivate: true,
    extraAptSources: ['backports', 'inner'],
    backend: 'qemu',
    variant: 'newest',
    priority: 9,
  });
});

it.each<[string, object, object, string]>([
  [
    'trigger',
    { trigger: 'x'.repeat(65_536) },
    { trigger: 'x'.repeat(65_537) },
    '65536 bytes in UTF-8, and has 65537',
  ],
  [
    'trigger',
    { trigger: '\u00fc'.repeat(32_768) },
    { trigger: '\u00fc'.repeat(32_769) },
    '65536 bytes in UTF-8, and has 65538',
  ],
  ['pin-packages', pinsOf(32_768), pinsOf(32_769), '32768 bytes in all, and has 32769'],
  ['extra-apt-sources', sourcesOf(20), sourcesOf(21), '20 names, and has 21'],
])('a %s of the longest length is taken, and none that is longer', (key, longest, longer, sentence) => {
  expect(submit([{ package: 'hello', ...longest }], { user: 'alice' }).runs).toHaveLength(1);
  const refusal = refusalOf(() => submit([{ package: 'hello', ...longer }], { user: 'alice' }));
  expect(refusal.detail).toContain(`tests[0].${key} may have ${sentence}`);
});

it('the order is kept, equal items stay apart, and items without a priority get that of the list', () => {
  const { runs } = submit([{ package: 'b1' }, { package: 'a1', priority: 1 }, { package: 'b1' }], {
    priority: 7,
  });
  expect(runs.map(({ package: name, priority }) => [name, priority])).toEqual([
    ['b1', 7],
    ['a1', 1],
    ['b1', 7],
  ]);
});

it('null and empty names count as left out', () => {
  const keys = [...keysOf(TestOptions)];
  expect(keys).toHaveLength(7);
  const item = { package: 'hello', ...Object.fromEntries(keys.map((key) => [key, null])) };
  const emptyItem = { package: 'hello', backend: '', autopkgtest: '' };
  const [fromNull, fromEmpty] = submit([item, emptyItem]).runs;
  expect(fromNull).toEqual(submit([{ package: 'hello' }]).runs[0]);
  expect(fromEmpty).toEqual(fromNull);
});

it.each([
  'H',
  'h',
  'Hello',
  'hello_x',
  '-hello',
  'hello\n',
  'hello\nworld',
  'hel lo',
  'hello\0',
  '',
  '\ud800x',
  'a'.repeat(201),
])('the invalid package name %j is ignored', (name) => {
  const { runs, ignored } = submit([{ package: name }, { package: 'hello' }]);
  expect(ignored).toEqual([{ index: 0, package: name, reason: 'invalid-name' }]);
  expect(runs).toHaveLength(1);
});

it.each([
  ['blocked', 'bookworm', 'amd64', true],
  ['blocked', 'trixie', 'arm64', true],
  ['not-on-arm', 'bookworm', 'arm64', true],
  ['not-on-arm', 'bookworm', 'amd64', false],
  ['not-on-arm', 'trixie', 'arm64', false],
  ['one-version', 'bookworm', 'amd64', false],
  ['constructor', 'bookworm', 'amd64', false],
  ['valueof', 'bookworm', 'amd64', false],
])('the package %s on %s/%s is judged by the reject list: rejected %s', (name, suite, arch, rejected) => {
  const { runs, ignored } = submit([{ package: name }], { suite, arch });
  expect(ignored).toEqual(rejected ? [{ index: 0, package: name, reason: 'reject-list' }] : []);
  expect(runs).toHaveLength(rejected ? 0 : 1);
});

it('an unknown key is warned of once', () => {
  const { warnings, runs } = submit([
    { package: 'hello', extra_apt_sources: ['x'] },
    { package: 'hello' },
    JSON.parse('{"package": "hello", "extra_apt_sources": 1, "__proto__": {"priority": 1}}'),
  ]);
  expect(warnings).toEqual([
    'The key "extra_apt_sources" in tests[0] and in 1 more is unknown and was ignored.',
    'The key "__proto__" in tests[2] is unknown and was ignored.',
  ]);
  expect(runs.map(({ priority }) => priority)).toEqual([5, 5, 5]);
});

it.each<[string, unknown, string, RegExp]>([
  ['an item that is null', null, '#/tests/1', /tests\[1\] must be an object, not null/],
  ['an item that is a string', 'hello', '#/tests/1', /tests\[1\] must be an object, not "hello"/],
  ['an item that is an array', ['hello'], '#/tests/1', /not an array/],
  ['no package', {}, '#/tests/1/package', /tests\[1\]\.package must be a string, and is missing/],
  [
    'a package from the prototype',
    JSON.parse('{"__proto__":{"package":"hello"}}'),
    '#/tests/1/package',
    /missing/,
  ],
  ['a null package', { package: null }, '#/tests/1/package', /not null/],
  ['a numeric package', { package: 5 }, '#/tests/1/package', /not 5/],
  [
    'a numeric trigger',
    { package: 'hello', trigger: 42 },
    '#/tests/1/trigger',
    /trigger must be a string .*not 42/,
  ],
  ['NUL in a trigger', { package: 'hello', trigger: 'a\0b' }, '#/tests/1/trigger', /NUL/],
  [
    'a lone surrogate in a trigger',
    { package: 'hello', trigger: '\udc00' },
    '#/tests/1/trigger',
    /surrogates/,
  ],
  ['a word for is_private', { package: 'hello', is_private: 'true' }, '#/tests/1/is_private', /not "true"/],
  ['a number for is_private', { package: 'hello', is_private: 1 }, '#/tests/1/is_private', /not 1/],
  [
    'a text for sources',
    { package: 'hello', 'extra-apt-sources': 'backports' },
    '#/tests/1/extra-apt-sources',
    /array/,
  ],
  [
    'a number in sources',
    { package: 'hello', 'extra-apt-sources': [1] },
    '#/tests/1/extra-apt-sources',
    /array of at most 1000 strings/,
  ],
  [
    'an unknown source',
    { package: 'hello', 'extra-apt-sources': ['nowhere'] },
    '#/tests/1/extra-apt-sources',
    /"nowhere"/,
  ],
  [
    'a source of others',
    { package: 'hello', 'extra-apt-sources': ['inner'] },
    '#/tests/1/extra-apt-sources',
    /"inner".*bob/,
  ],
  [
    'an unknown backend',
    { package: 'hello', backend: 'lxc' },
    '#/tests/1/backend',
    /unshare, qemu, not "lxc"/,
  ],
  ['a numeric backend', { package: 'hello', backend: 3 }, '#/tests/1/backend', /not 3/],
  ['an unknown variant', { package: 'hello', autopkgtest: 'git' }, '#/tests/1/autopkgtest', /not "git"/],
  ['priority 0', { package: 'hello', priority: 0 }, '#/tests/1/priority', /from 1 to 10, not 0/],
  ['priority 11', { package: 'hello', priority: 11 }, '#/tests/1/priority', /not 11/],
  ['priority 5.7', { package: 'hello', priority: 5.7 }, '#/tests/1/priority', /not 5.7/],
  ['a text as priority', { package: 'hello', priority: '5' }, '#/tests/1/priority', /not "5"/],
  ['a text as pins', { package: 'hello', 'pin-packages': 'src:x' }, '#/tests/1/pin-packages', /array/],
  ['an object as pins', { package: 'hello', 'pin-packages': { a: 'b' } }, '#/tests/1/pin-packages', /array/],
  ['a pin of one', { package: 'hello', 'pin-packages': [['hello']] }, '#/tests/1/pin-packages', /array/],
  [
    'a pin of three',
    { package: 'hello', 'pin-packages': [['a1', 'b1', 'trixie']] },
    '#/tests/1/pin-packages',
    /array/,
  ],
  ['a pin of numbers', { package: 'hello', 'pin-packages': [[1, 2]] }, '#/tests/1/pin-packages', /strings/],
  [
    'a pin to an unknown suite',
    { package: 'hello', 'pin-packages': [['hello', 'sid']] },
    '#/tests/1/pin-packages',
    /"sid"/,
  ],
  [
    'a suite pinned twice',
    {
      package: 'hello',
      'pin-packages': [
        ['a1', 'trixie'],
        ['b1', 'trixie'],
      ],
    },
    '#/tests/1/pin-packages',
    /"trixie" more than once/,
  ],
  [
    'a spec with a space',
    { package: 'hello', 'pin-packages': [['a1 b1', 'trixie']] },
    '#/tests/1/pin-packages',
    /"a1 b1"/,
  ],
  ['an empty spec', { package: 'hello', 'pin-packages': [['', 'trixie']] }, '#/tests/1/pin-packages', /""/],
  [
    'an option as spec',
    { package: 'hello', 'pin-packages': [['--shell', 'trixie']] },
    '#/tests/1/pin-packages',
    /--shell/,
  ],
  [
    'an unknown source in an ignored item',
    { package: 'H', 'extra-apt-sources': ['no'] },
    '#/tests/1/extra-apt-sources',
    /"no"/,
  ],
])('everything is refused for %s', (_what, item, pointer, detail) => {
  const problem = refusalOf(() => submit([{ package: 'hello' }, item]));
  expect(problem.status).toBe(400);
  expect(problem.detail).toMatch(detail);
  expect(problem.errors[0]?.pointer).toBe(pointer);
});

it('a refusal names the first faults and counts the rest', () => {
  const problem = refusalOf(() => submit(Array.from({ length: 500 }, () => ({}))));
  expect(problem.errors).toHaveLength(20);
  expect(problem.detail).toContain('and 19 more, see errors');
});

it.each([
  ['sid', 'amd64', /suite "sid" is unknown; there is bookworm, trixie/],
  ['__proto__', 'amd64', /suite "__proto__"/],
  ['bookworm', 'm68k', /architecture "m68k" is unknown; there is amd64, arm64/],
  ['bookworm\0', 'amd64', /suite "bookworm\\u0000"/],
  ['sid', 'm68k', /suite "sid" is unknown; .*architecture "m68k" is unknown; there is amd64, arm64\.$/],
])('the target %j/%s is refused', (suite, arch, detail) => {
  const problem = refusalOf(() => submit([], { suite, arch }));
  expect(problem.status).toBe(400);
  expect(problem.detail).toMatch(detail);
});
