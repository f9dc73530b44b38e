import { runRecord } from '@test/support/run-record';
import { mismatches, progressOf, reproduceCommand, runSentence, snapshotCommands } from './run-sentence';

const finishedRun = {
  state: 'finished',
  version: '2.10-3',
  durationSeconds: 65,
  package: 'hello',
  suite: 'sid',
  arch: 'amd64',
} as const;

it.each([
  [{ state: 'queued' }, 'The test of hello on sid/amd64 is waiting.'],
  [{ state: 'running', worker: 'w1' }, 'The test of hello on sid/amd64 is running on w1.'],
  [{ verdict: 'pass' }, 'hello 2.10-3 on sid/amd64 passed in 1\u00a0min\u00a05\u00a0s.'],
  [{ verdict: 'fail' }, 'hello 2.10-3 on sid/amd64 failed in 1\u00a0min\u00a05\u00a0s.'],
  [{ verdict: 'neutral' }, 'hello 2.10-3 on sid/amd64 has nothing to test.'],
  [{ verdict: 'tmpfail', version: 'n/a' }, 'hello on sid/amd64 could not be tested.'],
  [{ verdict: 'tmpfail', version: 'n/a', cancelled: true }, 'The test of hello on sid/amd64 was cancelled.'],
  [
    { verdict: 'tmpfail', version: 'n/a', cancelled: true, supersededBy: 12 },
    'The test of hello on sid/amd64 was superseded by run 12, which tests with a newer version.',
  ],
] as const)('the sentence of a run that is %j is: %s', (change, sentence) => {
  expect(runSentence(runRecord({ ...finishedRun, ...change }), 'neutral')).toBe(sentence);
});

it('a run that is executed says since when, and how long those of its place took', () => {
  const startedAt = new Date('2026-11-20T10:00:00Z');
  const run = runRecord({ state: 'running', suite: 'sid', arch: 'amd64', startedAt });
  const status = (arch: string, medianSeconds: number) => {
    return { suite: 'sid', arch, durations: { medianSeconds, p95Seconds: 90 } };
  };
  const now = new Date('2026-11-20T10:00:20Z');
  expect(progressOf(run, [status('arm64', 5), status('amd64', 30)], now)).toEqual({
    startedAt,
    elapsedSeconds: 20,
    usualSeconds: 30,
    durations: 'Usually 30\u00a0s; at most 1\u00a0min\u00a030\u00a0s (95 %).',
  });
  const unknown = { startedAt, elapsedSeconds: 20, usualSeconds: null, durations: '' };
  expect(progressOf(run, [{ suite: 'sid', arch: 'amd64', durations: null }], now)).toEqual(unknown);
  expect(progressOf(run, [], now)).toEqual(unknown);
  for (const change of [{ state: 'finished' }, { state: 'leased', startedAt: null }] as const)
    expect(progressOf(runRecord({ ...run, ...change }), [], now)).toBeNull();
});

it('a run that has tested another version than its trigger names says so', () => {
  const mismatchesFor = (trigger: string | null, version = '2.10-3') =>
    mismatches(runRecord({ ...finishedRun, verdict: 'pass', trigger, version }), null).map(
      ({ sentence }) => sentence,
    );
  expect(mismatchesFor('glibc/2 hello/2.10-4')).toEqual([
    'The trigger names version 2.10-4 of hello, but 2.10-3 was tested.',
  ]);
  expect(mismatchesFor('hello/2.10-4 hello/2.10-3')).toEqual([]);
  for (const trigger of [null, 'glibc/2', 'migration-reference/0', 'hello', 'hello/0'])
    expect(mismatchesFor(trigger)).toEqual([]);
  expect(mismatchesFor('hello/2.10-4', 'n/a')).toEqual([]);
});

it('a run names packages of the trigger that were installed in another version, and of pins that were given up', () => {
  const installed = { perl: '5.38', zlib: '1.3', 'libgcc-s1': '14-2+b1', gcc: '13' };
  const packages = {
    testbed: new Map(Object.entries(installed)),
    added: new Map([['perl', '5.39']]),
    suites: new Map(),
  };
  const testbed = {
    packages,
    kernel: null,
    withoutInitLine: null,
    fallback: { line: 30, release: 'sid' },
    tests: [],
  };
  const run = runRecord({ ...finishedRun, verdict: 'pass', trigger: 'perl/5.40 zlib/1.3 gcc/14-2 absent/1' });
  expect(mismatches(run, testbed)).toEqual([
    { sentence: 'The trigger names version 5.40 of perl, but 5.39 was installed.', line: null },
    { sentence: 'apt could not satisfy the pins and took all packages from sid.', line: 30 },
  ]);
});

it('a run names packages that matter and came from a suite that was not asked for, after all else', () => {
  const names = ['libperl5', 'perl', 'perl-base', 'perl-doc'];
  const packages = {
    testbed: new Map(),
    added: new Map(names.map((name) => [name, '5.40-1'])),
    suites: new Map(names.map((name) => [name, 'experimental'])),
  };
  const testbed = {
    packages,
    kernel: null,
    withoutInitLine: null,
    fallback: { line: 30, release: 'sid' },
    tests: [],
  };
  const run = runRecord({ ...finishedRun, verdict: 'pass', trigger: 'perl/5.40-1' });
  expect(mismatches(run, testbed)).toEqual([
    { sentence: 'apt could not satisfy the pins and took all packages from sid.', line: 30 },
    {
      sentence: 'libperl5, perl, perl-base and 1 more came from experimental, which was not requested.',
      line: null,
    },
  ]);
  expect(mismatches({ ...run, state: 'running' }, testbed)).toEqual([]);
});

it('the command to do the same has the pins and the trigger, quoted for a shell', () => {
  const run = runRecord({
    ...finishedRun,
    pinPackages: [['src:glibc,src:gcc', 'unstable']],
    trigger: `glibc/2 it's/1`,
  });
  expect(reproduceCommand(run)).toBe(
    `autopkgtest --no-built-binaries --apt-upgrade --add-apt-release=unstable --pin-packages=unstable=src:glibc,src:gcc ` +
      `'--env=ADT_TEST_TRIGGERS=glibc/2 it'\\''s/1' hello -- unshare --release sid --arch amd64`,
  );
});

it('with extra sources the command to do the same adds no suite for a pin, as on a worker', () => {
  const run = runRecord({
    ...finishedRun,
    pinPackages: [['src:glibc', 'staging']],
    extraAptSources: ['staging'],
    trigger: null,
  });
  expect(reproduceCommand(run)).toBe(
    'autopkgtest --no-built-binaries --apt-upgrade --pin-packages=staging=src:glibc hello -- unshare --release sid --arch amd64',
  );
});

it('a run has commands with the archive of its time, where a link names the archive of a time', () => {
  const run = runRecord({ ...finishedRun, startedAt: new Date('2026-11-20T10:00:07.5Z'), trigger: null });
  const links = [
    { name: 'Tracker', url: 'https://tracker.example/{package}' },
    { name: 'Snapshots', url: 'https://snapshot.example/package/{package}/' },
    { name: 'Past', url: 'https://past.example/', archive: 'http://past.example/pool/{time}/otter' },
  ];
  const archive = 'http://past.example/pool/20261120T100007Z/otter sid main';
  expect(snapshotCommands(run, links)?.split('\n')).toEqual([
    'mmdebstrap --variant=minbase --architectures=amd64 --include=dpkg-dev ' +
      `'--aptopt=Acquire::Check-Valid-Until "false"' sid sid-amd64.tar 'deb ${archive}' 'deb-src ${archive}'`,
    'autopkgtest --no-built-binaries --apt-upgrade hello -- unshare --tarball sid-amd64.tar',
  ]);
  expect(snapshotCommands(run, links.slice(0, 2))).toBeNull();
  expect(snapshotCommands({ ...run, startedAt: null }, links)).toBeNull();
  for (const suite of ['trixie-security', 'trixie-backports', 'experimental'])
    expect(snapshotCommands({ ...run, suite }, links)).toBeNull();
});

it.each([
  ['lxc', 'lxc autopkgtest-sid-amd64'],
  ['podman', 'podman autopkgtest/debian:sid'],
  ['of-our-own', 'unshare --release sid --arch amd64'],
])('the command to do the same takes the backend of the run: %s', (backend, server) => {
  expect(reproduceCommand(runRecord({ ...finishedRun, backend })).split(' -- ')[1]).toBe(server);
});
