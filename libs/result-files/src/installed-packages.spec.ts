import { Readable } from 'node:stream';
import { constants } from 'node:zlib';
import timers from 'node:timers/promises';
import { packageLines, packedArtifacts } from '@test/support/artifacts';
import { ERROR_PATTERNS, errorExpression } from './error-patterns';
import { readTestbed, TESTBED_READING } from './installed-packages';
import { logIndexText } from './log-index';
import { LogIndexer } from './log-indexer';

const own = (seconds: number, text: string) => `  3s autopkgtest [12:00:0${seconds}]: ${text}\n`;

function logIndex(log: string): Buffer {
  const indexer = new LogIndexer(errorExpression(ERROR_PATTERNS));
  indexer.add(Buffer.from(log));
  return Buffer.from(logIndexText(indexer.end()));
}

/** Reads such files. */
function readPackages(files: Record<string, Buffer>, limits = TESTBED_READING) {
  const open = (name: string, start = 0) => {
    const content = files[name];
    return Promise.resolve(
      content ? { size: content.length, content: Readable.from([content.subarray(start)]) } : null,
    );
  };
  return readTestbed(open, 10_000, limits);
}

async function artifacts(lists: Record<string, string>) {
  const { archive, index } = await packedArtifacts(lists);
  return { 'artifacts.tar.gz': archive, 'artifacts-index.json': index };
}

const LOG =
  own(0, '@@@@@@@@@@@@@@@@@@@@ test bed setup') +
  'Setting up libc6:amd64 (2.40-4) ...\n' +
  own(1, 'test unit: preparing testbed') +
  own(
    1,
    'WARNING: Test dependencies are unsatisfiable with using apt pinning. Retrying with using all packages from sid',
  ) +
  'Setting up libfoo (1:2.0-1) ...\nSetting up autopkgtest-satdep (0) ...\n' +
  own(2, 'test unit: [-----------------------') +
  'Setting up forged (9) ...\n' +
  own(7, 'test unit: -----------------------]') +
  own(7, 'test unit:  - - - - - - - - - - results - - - - - - - - - -') +
  'unit PASS\n';

it('what a run was executed in is read from the lists of its artifacts, and from its log', async () => {
  const files = await artifacts({
    'smoke-packages': packageLines({ extra: '3' }),
    'testbed-packages': packageLines({ libc6: '2.40-3', bash: '5' }),
    'unit-packages': packageLines({ libfoo: '1:2.0-1', 'Bad Name': '1', odd: 'no version' }),
    'testinfo.json': JSON.stringify({ kernel_version: 'Linux 6.1.0-28-amd64 #1 SMP' }),
  });
  const packages = await readPackages({ ...files, 'log-index.json': logIndex(LOG) });
  expect(packages.testbed).toEqual(new Map(Object.entries({ libc6: '2.40-3', bash: '5' })));
  expect(packages.added).toEqual(new Map(Object.entries({ libc6: '2.40-4', libfoo: '1:2.0-1', extra: '3' })));
  expect(packages.kernel).toBe('Linux 6.1.0-28-amd64 #1 SMP');
  expect(packages.fallback).toEqual({ line: 4, release: 'sid' });
  expect(packages.tests).toEqual([{ name: 'unit', line: 7, seconds: 5 }]);
});

it('nothing is known of the packages of a run without lists, or whose archive is not as its index says', async () => {
  const packed = await artifacts({ 'testbed-packages': packageLines({ bash: '5' }) });
  const cut = { ...packed, 'artifacts.tar.gz': packed['artifacts.tar.gz'].subarray(0, 12) };
  const { 'artifacts.tar.gz': _, ...withoutArchive } = packed;
  for (const files of [{}, await artifacts({ summary: 'unit PASS\n' }), cut, withoutArchive])
    expect((await readPackages(files)).testbed).toBeNull();
});

const FROM = 'Get:1 http://mirror.example:3142/debian';

it('fetched packages have their suite, only with the version that was installed', async () => {
  const log =
    own(0, '@@@@@@@@@@@@@@@@@@@@ test bed setup') +
    ` 35s Get:3 http://mirror.example/debian-security trixie-security/main amd64 libc6 amd64 2.40-4 [2,847 kB]\n` +
    `${FROM} sid/main amd64 libfoo amd64 1:2.0-1~exp [4 B]\n` +
    `${FROM} trixie InRelease [140 kB]\n` +
    `${FROM} trixie/main amd64 Packages [9,668 kB]\n` +
    `Get:1 file:/tmp/autopkgtest.x/binaries ./ own 1 [4 B]\n` +
    ` 36s Setting up libc6:amd64 (2.40-4) ...\n` +
    'Setting up libfoo (1:2.0-1) ...\nSetting up own (1) ...\n' +
    own(1, 'test unit: preparing testbed') +
    `${FROM} trixie-updates/main amd64 tzdata all 2025b-4+deb13u1 [260 kB]\n` +
    `${FROM} buster/updates/non-free-firmware amd64 extra amd64 3 [1 kB]\n` +
    'Setting up tzdata (2025b-4+deb13u1) ...\nSetting up extra (3) ...\nSetting up libc6:amd64 (2.40-4) ...\n' +
    own(2, 'test unit: [-----------------------') +
    `${FROM} forged/main amd64 tzdata all 2025b-4+deb13u1 [260 kB]\nSetting up tzdata (2025b-4+deb13u1) ...\n`;
  const files = await artifacts({
    'testbed-packages': packageLines({ libc6: '2.40-3' }),
    'unit-packages': packageLines({ tzdata: '2025b-4+deb13u1', extra: '4' }),
  });
  const index = logIndex(log);
  expect(index.toString()).not.toContain('mirror');
  const packages = await readPackages({ ...files, 'log-index.json': index });
  expect(packages.suites).toEqual(
    new Map(Object.entries({ libc6: 'trixie-security', tzdata: 'trixie-updates', extra: 'buster/updates' })),
  );
});

it('suites in an index that are none are left out, and one of an earlier worker has none', async () => {
  const files = await artifacts({ 'testbed-packages': packageLines({ bash: '5' }) });
  const suites = async (...installed: unknown[]) => {
    const index = { ...(JSON.parse(logIndex('').toString()) as object), installed };
    const packages = await readPackages({ ...files, 'log-index.json': Buffer.from(JSON.stringify(index)) });
    return [[...packages.added.keys()], Object.fromEntries(packages.suites)];
  };
  for (const odd of ['http://mirror/sid', '<b>', 'a b', '', 7, null, 'x'.repeat(101)])
    expect(await suites(['perl', '5', odd])).toEqual([['perl'], {}]);
  expect(await suites(['perl', '5'], ['curl', '8', 'sid'])).toEqual([['perl', 'curl'], { curl: 'sid' }]);
});

/** Each is shorter than LIST_BYTES_MAX. */
it('others are served while the lists of a run are read, however many lines a worker has put into them', async () => {
  const lists = { 'testbed-packages': 'a\t1\n'.repeat(400_000), 'unit-packages': packageLines({ b: '2' }) };
  const files = await artifacts(lists);
  const pauses = jest.spyOn(timers, 'setImmediate');
  const packages = await readPackages(files);
  expect([packages.testbed, packages.added]).toEqual([new Map([['a', '1']]), new Map([['b', '2']])]);
  // After each 2,000 lines, and after each chunk of zlib.
  const chunks = Math.floor(lists['testbed-packages'].length / constants.Z_DEFAULT_CHUNK);
  expect(pauses.mock.calls.length).toBeGreaterThanOrEqual(200 + chunks);
  pauses.mockRestore();
});

it.each([
  ['passMs', { ...TESTBED_READING, passMs: -1 }],
  ['readMs', { ...TESTBED_READING, readMs: -1 }],
])('a list that lies too far in its archive is as if it were not there: %s', async (_, limits) => {
  const packed = await artifacts({
    before: 'x'.repeat(4_000_000),
    'testbed-packages': packageLines({ a: '1' }),
  });
  const { blocks: __, ...index } = JSON.parse(packed['artifacts-index.json'].toString()) as {
    blocks: object;
  };
  const far = { ...packed, 'artifacts-index.json': Buffer.from(JSON.stringify({ ...index, blocks: [] })) };
  expect((await readPackages(far)).testbed).toEqual(new Map([['a', '1']]));
  expect((await readPackages(far, limits)).testbed).toBeNull();
});

it('a description of a testbed that is too long is not read', async () => {
  const kernel_version = 'Linux 6';
  const facts = (length: number) => JSON.stringify({ kernel_version, more: 'x'.repeat(length) });
  const kernelOf = async (length: number) =>
    (await readPackages(await artifacts({ 'testinfo.json': facts(length) }))).kernel;
  expect([await kernelOf(10), await kernelOf(64 * 1024)]).toEqual([kernel_version, null]);
});
