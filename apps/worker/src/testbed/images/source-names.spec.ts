import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { sourceNamesLine } from '@proctor/contracts';
import { writeSourceNames } from './source-names';

const execute = promisify(execFile);
const SIGNAL = new AbortController().signal;

let place: string;
beforeEach(async () => (place = await mkdtemp(join(tmpdir(), 'source-names-'))));
afterEach(async () => rm(place, { recursive: true }));

/** The lines of the list of a system with these apt lists. */
async function namesOf(lists: Record<string, string>): Promise<string[]> {
  const folder = join(place, 'system', 'var/lib/apt/lists');
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(lists)) await writeFile(join(folder, name), text);
  const system = join(place, 'system.tar');
  await execute('tar', ['--create', `--file=${system}`, '--directory', join(place, 'system'), './var']);
  const target = join(place, 'sources.gz');
  await writeSourceNames(system, target, SIGNAL);
  const lines = gunzipSync(await readFile(target))
    .toString()
    .split('\n');
  expect(lines.pop()).toBe('');
  for (const line of lines) expect([line, sourceNamesLine(line)]).not.toEqual([line, null]);
  return lines;
}

const SOURCES = `Package: foo
Format: 3.0 (quilt)
Binary: foo, libfoo1,
 libfoo-dev, foo-doc
Version: 1-1
Package-List:
 foo deb utils optional arch=any

Package: foo+bar
Binary: foo+bar
Version: 2

Package: 0ad
Binary: 0ad
Extra-Source-Only: yes
Version: 3
`;

it('source packages are named with what they build, once each and in order', async () => {
  const names = await namesOf({
    mirror_dists_sid_main_source_Sources: SOURCES,
    mirror_dists_sid_contrib_source_Sources: 'Package: 0ad\nBinary: 0ad\n',
    'mirror_dists_sid_main_binary-amd64_Packages':
      'Package: libfoo1\nSource: foo (1-0)\nVersion: 1-0+b1\n\nPackage: new1\nSource: new\n',
  });
  expect(names).toEqual([
    '0ad',
    'foo',
    'foo+bar',
    'foo-doc foo',
    'libfoo-dev foo',
    'libfoo1 foo',
    'new',
    'new1 new',
  ]);
});

it('where apt has no list of sources, binary packages name theirs', async () => {
  const names = await namesOf({
    'mirror_dists_sid_main_binary-amd64_Packages':
      'Package: libfoo1\nSource: foo (1-0)\nVersion: 1-0+b1\n\nPackage: bar\nVersion: 1\n\nPackage: libz\nSource: zlib\n',
  });
  expect(names).toEqual(['bar', 'foo', 'libfoo1 foo', 'libz zlib', 'zlib']);
});

it('what is no name is left out', async () => {
  const long = 'a'.repeat(201);
  const names = await namesOf({
    a_Sources: `Package: Foo\nBinary: foo\n\nPackage: ok\nBinary: ../x, \u00e9, ${long}, fine\n\nPackage: ${long}\nBinary: y\n`,
    a_Packages: 'Package: -x\n\nPackage: z9\nSource: %s\n',
  });
  expect(names).toEqual(['fine ok', 'ok']);
});

it('a system without lists, and a damaged one, are no suite without packages', async () => {
  await expect(namesOf({ lock: '' })).rejects.toThrow();
  const damaged = join(place, 'damaged.tar');
  await writeFile(damaged, 'x'.repeat(2000));
  await expect(writeSourceNames(damaged, join(place, 'sources.gz'), SIGNAL)).rejects.toThrow();
});
