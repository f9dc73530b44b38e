import { spawnSync } from 'node:child_process';
import type { Lease } from '@proctor/contracts';
import type { Pin } from '@proctor/request-fields';
import { leaseOf } from '@test/support/slot-rig';
import { autopkgtestCommand, checkRequest, type CommandParts } from './command';
import { UnsafeRequest } from './unsafe-request';

const LEASE = leaseOf(1);

const PARTS: CommandParts = {
  runner: ['autopkgtest'],
  version: '5.28',
  subject: 'hello',
  outputFolder: '/w/runs/1-1/out',
  signingKeyFiles: [],
  testbed: {
    upgrade: ['--apt-upgrade'],
    options: ['--copy=/w/apt.conf:/etc/apt/apt.conf.d/99host'],
    server: ['unshare', '--tarball', '/w/image.tar'],
  },
};

describe('the longest command line', () => {
  const LONGEST = 128 * 1024 - 1;
  const NAME = '--env=ADT_TEST_TRIGGERS=';

  it.each([
    [
      'a trigger',
      { trigger: 'x'.repeat(LONGEST - NAME.length + 1) },
      `${NAME.slice(0, -1)} would have 131072`,
    ],
    [
      'a trigger by its bytes',
      { trigger: '\u00fc'.repeat(60_000) + 'x'.repeat(12_000) },
      'would have 132024',
    ],
    ['pins', { pinPackages: [['a'.repeat(LONGEST), 'sid']] as Pin[] }, '--pin-packages would have'],
    [
      'sources in all',
      {
        extraAptSources: Array.from({ length: 100 }, (_, index) => ({
          name: `s${index}`,
          lines: [`deb http://example.org/${'x'.repeat(11_000)} ./`],
        })),
      },
      "the test runner's command line would have",
    ],
  ])(
    'a command line that is too long is refused as the fault of the request: %s',
    (_what, changes, message) => {
      const command = () => autopkgtestCommand(leaseOf(1, changes), PARTS);
      expect(command).toThrow(UnsafeRequest);
      expect(command).toThrow(message);
    },
  );

  it('a command line is too long from the first byte that no program takes', () => {
    const trigger = 'x'.repeat(LONGEST - NAME.length);
    const command = autopkgtestCommand(leaseOf(1, { trigger }), PARTS);
    expect(spawnSync('true', command).error).toBeUndefined();
    const longer = command.map((argument) => (argument.startsWith(NAME) ? `${argument}x` : argument));
    expect(spawnSync('true', longer).error).toMatchObject({ code: 'E2BIG' });
  });
});

it('the command of a plain run is complete', () => {
  expect(autopkgtestCommand(LEASE, PARTS)).toEqual([
    'autopkgtest',
    '--no-built-binaries',
    '--output-dir',
    '/w/runs/1-1/out',
    '--timeout-short=600',
    '--apt-upgrade',
    '--copy=/w/apt.conf:/etc/apt/apt.conf.d/99host',
    'hello',
    '--',
    'unshare',
    '--tarball',
    '/w/image.tar',
  ]);
});

it.each<[string, Partial<Lease>, string[], string[]]>([
  ['a trigger', { trigger: 'glibc/2.40 foo/1' }, [], ['--env=ADT_TEST_TRIGGERS=glibc/2.40 foo/1']],
  ['a trigger of several lines', { trigger: 'a/1\nb/2' }, [], ['--env=ADT_TEST_TRIGGERS=a/1\nb/2']],
  ['a trigger with a NUL', { trigger: 'a\0b' }, [], ['--env=ADT_TEST_TRIGGERS=a?b']],
  ['an empty trigger', { trigger: '' }, [], ['--env=ADT_TEST_TRIGGERS=']],
  ['a trigger with a quote', { trigger: "it's $(id)" }, [], ['--env=ADT_TEST_TRIGGERS=it?s $(id)']],
  [
    'pins: each release is added once',
    {
      pinPackages: [
        ['src:glibc', 'unstable'],
        ['foo,src:bar', 'experimental'],
        ['baz', 'unstable'],
      ],
    },
    [],
    [
      '--add-apt-release=unstable',
      '--pin-packages=unstable=src:glibc,baz',
      '--add-apt-release=experimental',
      '--pin-packages=experimental=foo,src:bar',
    ],
  ],
  [
    'extra sources: no release is added beside them',
    {
      pinPackages: [['src:glibc', 'unstable']],
      extraAptSources: [
        {
          name: 'a',
          lines: ['deb http://mirror.example/a x main', 'deb-src http://mirror.example/a x main'],
        },
        { name: 'b', lines: ['deb http://mirror.example/b ./'], signingKey: 'key' },
      ],
    },
    ['/w/source-0.asc'],
    [
      '--copy=/w/source-0.asc:/etc/apt/trusted.gpg.d/proctor-0.asc',
      '--add-apt-source=deb http://mirror.example/a x main',
      '--add-apt-source=deb-src http://mirror.example/a x main',
      '--add-apt-source=deb http://mirror.example/b ./',
      '--pin-packages=unstable=src:glibc',
    ],
  ],
])('the command hands on %s', (_what, overrides, signingKeyFiles, options) => {
  const command = autopkgtestCommand({ ...LEASE, ...overrides }, { ...PARTS, signingKeyFiles });
  expect(command.slice(7, -5)).toEqual(options);
});

it('the command shows no password of an extra source, but names the file that holds it', () => {
  const lines = ['deb https://user:secret@mirror.example/a x main'];
  const parts = { ...PARTS, loginsFile: '/w/logins' };
  const command = autopkgtestCommand({ ...LEASE, extraAptSources: [{ name: 'a', lines }] }, parts);
  expect(command.join(' ')).not.toContain('secret');
  expect(command).toContain('--copy=/w/logins:/etc/apt/auth.conf.d/proctor.conf');
  expect(command).toContain('--add-apt-source=deb https://mirror.example/a x main');
});

it('the error about an unsafe line names its source alone', () => {
  const lines = ['deb https://user:secret@mirror.example/a x main; id'];
  expect(() => checkRequest({ ...LEASE, extraAptSources: [{ name: 'a', lines }] })).toThrow(
    /^a line of the extra source a is not safe to pass to a test runner$/,
  );
});

it('the command hands on the environment of all tests before the trigger, and the time of one test', () => {
  const parts = { ...PARTS, environment: { A: 'x y', B: '' }, testTimeoutMs: 1_500 };
  const command = autopkgtestCommand({ ...LEASE, trigger: 'a/1' }, parts);
  expect(command.slice(5, 6)).toEqual(['--timeout-test=2']);
  expect(command.slice(8, 11)).toEqual(['--env=A=x y', '--env=B=', '--env=ADT_TEST_TRIGGERS=a/1']);
});

it('the command pins by the names that apt knows, and adds releases by those that were asked for', () => {
  const pinPackages: Lease['pinPackages'] = [['src:glibc', 'trixie']];
  const pinNames = new Map([['trixie', 'testing']]);
  expect(autopkgtestCommand({ ...LEASE, pinPackages }, { ...PARTS, pinNames }).slice(7, -5)).toEqual([
    '--add-apt-release=trixie',
    '--pin-packages=testing=src:glibc',
  ]);
});

it('the command begins with all of the variant’s command', () => {
  const runner = ['/opt/autopkgtest/runner', '--debug'];
  expect(autopkgtestCommand(LEASE, { ...PARTS, runner }).slice(0, 3)).toEqual([
    ...runner,
    '--no-built-binaries',
  ]);
});

it('a request with every field passes the check', () => {
  const line =
    'deb [arch=amd64 signed-by=/usr/share/keyrings/x.gpg] https://mirror.example:8080/~me/d bookworm main';
  const extraAptSources = [{ name: 'mine', lines: [line] }];
  expect(() =>
    checkRequest({ ...LEASE, pinPackages: [['src:g++', 'unstable']], extraAptSources }),
  ).not.toThrow();
});

it.each<[string, Partial<Lease>]>([
  ['an argument file', { package: '@/etc/passwd' }],
  ['an option', { package: '--shell' }],
  ['a path', { package: './tree' }],
  ['a shell command', { package: 'a;reboot' }],
  ['a second line', { package: 'hello\nreboot' }],
  ['a suite', { suite: 'x;y' }],
  ['an architecture', { arch: '../amd64' }],
  ['a backend', { backend: '-x' }],
  ['a variant', { variant: 'a b' }],
  ['a pin', { pinPackages: [['src:a$(id)', 'unstable']] }],
  ["a pin's suite", { pinPackages: [['a', 'unstable;id']] }],
  ['a source line', { extraAptSources: [{ name: 'x', lines: ['deb http://mirror.example/`id` x main'] }] }],
  ["a source's name", { extraAptSources: [{ name: 'x/y', lines: [] }] }],
  ['an empty name', { package: '' }],
  ['a hidden second argument', { package: 'hello\0--shell' }],
  ['a substitution', { package: 'a$(id)' }],
  ['a blank', { package: 'hello world' }],
  ['a quote', { package: "hello'" }],
  ['a parent folder', { package: '../hello' }],
  ['a URL', { package: 'http://mirror.example/x.dsc' }],
  ['an upper-case name', { package: 'Hello' }],
  ['a suite that is an option', { suite: '--root' }],
  ['a suite that is a parent folder', { suite: '..' }],
  ['a suite in a folder', { suite: 'a/../b' }],
  ['an architecture with a wildcard', { arch: '*' }],
  ['a backend in a folder', { backend: '../null' }],
  ['a variant that is a path', { variant: '/bin/sh' }],
  ['a pin of everything', { pinPackages: [['*', 'unstable']] }],
  ['a pin with a second option', { pinPackages: [['a --shell', 'unstable']] }],
  ['a pin that is empty', { pinPackages: [['', 'unstable']] }],
  ["a pin's suite of two lines", { pinPackages: [['a', 'unstable\nPackage: *']] }],
  ['a source line that is none', { extraAptSources: [{ name: 'x', lines: ['rm -rf /'] }] }],
  [
    'a source line with a second line',
    { extraAptSources: [{ name: 'x', lines: ['deb http://m/d x main\nid'] }] },
  ],
  ['a source line with a quote', { extraAptSources: [{ name: 'x', lines: ["deb http://m/d x main'"] }] }],
  ['a source line with a pipe', { extraAptSources: [{ name: 'x', lines: ['deb http://m/d x main | sh'] }] }],
  [
    'a source line with a variable',
    { extraAptSources: [{ name: 'x', lines: ['deb http://m/$HOME x main'] }] },
  ],
  ['a file of lines', { extraAptSources: [{ name: 'x', lines: ['@/etc/passwd'] }] }],
])('an unsafe request is refused: %s', (_what, overrides) => {
  expect(() => checkRequest({ ...LEASE, ...overrides })).toThrow(UnsafeRequest);
});
