import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { unpackingWait, findUnreadableFile } from './unreadable-tree';

let output: string;
beforeEach(async () => (output = await mkdtemp(join(tmpdir(), 'tree-'))));
afterEach(async () => rm(output, { recursive: true }));

type Make = (path: string) => Promise<unknown>;
const file: Make = (path) => writeFile(path, 'Tests: a\n');
const pipe: Make = (path) => Promise.resolve(execFileSync('mkfifo', [path]));
const link =
  (target: string): Make =>
  (path) =>
    symlink(target, path);
const socket: Make = (path) =>
  Promise.resolve(
    execFileSync('python3', [
      '-c',
      'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])',
      path,
    ]),
  );

async function find(files: Record<string, Make>): Promise<string | null> {
  for (const [name, make] of Object.entries(files)) {
    const path = join(output, name);
    await mkdir(dirname(path), { recursive: true });
    await make(path);
  }
  return findUnreadableFile(output);
}

it.each<[string, Record<string, Make>, string]>([
  [
    'its description of tests is a pipe',
    { 'pkg/debian/tests/control': pipe },
    'debian/tests/control is a pipe',
  ],
  ['a build made it one', { 'tests-tree/debian/tests/control': pipe }, 'debian/tests/control is a pipe'],
  ['its control file is a pipe', { 'pkg/debian/control': pipe }, 'debian/control is a pipe'],
  ['what autodep8 reads is a pipe', { 'pkg/debian/compat': pipe }, 'debian/compat is a pipe'],
  ['it is a socket', { 'pkg/debian/tests/control': socket }, 'debian/tests/control is a socket'],
  [
    'it is a link to a pipe',
    { 'pkg/debian/a/pipe': pipe, 'pkg/debian/tests/control': link('../a/./../a/pipe') },
    'debian/tests/control is a pipe',
  ],
  [
    'its folder is a link to one with a pipe',
    { 'pkg/debian/a/control': pipe, 'pkg/debian/tests': link('a') },
    'debian/tests/control is a pipe',
  ],
  [
    'it is a link to an endless device',
    { 'pkg/debian/tests/control': link('/dev/zero') },
    'debian/tests/control is a link to /dev/zero',
  ],
  [
    'it is a link to the input of its reader',
    { 'pkg/debian/tests/control': link('/usr/../proc/self/fd/0') },
    'debian/tests/control is a link to /usr/../proc/self/fd/0',
  ],
])('a package cannot be read where %s', async (_, files, path) => {
  expect(await find(files)).toBe(path);
});

it.each([
  [['sed', '-n', '1 p', 'debian/changelog'], 'debian/changelog is a pipe'],
  [['/usr/bin/perl', '/usr/bin/dpkg-source', '-x', 'a.dsc'], 'a file that dpkg-source reads is a pipe'],
  [['sed', '-n', '1 p', 'other'], null],
  [['cat', 'debian/changelog'], null],
  [[], null],
])('of the command %j a package is unpacked that waits for a pipe: %s', (command, wait) => {
  expect(unpackingWait(command)).toBe(wait);
});

it.each<[string, Record<string, Make>]>([
  ['has nothing yet', {}],
  ['has files', { 'pkg/debian/tests/control': file, 'tests-tree/debian/control': file }],
  ['has a link to a file', { 'pkg/debian/b': file, 'pkg/debian/tests/control': link('../b') }],
  ['has a link to nothing', { 'pkg/debian/tests/control': link('no/such') }],
  ['has a link to itself', { 'pkg/debian/tests/control': link('control') }],
  ['has a link out of it', { 'pkg/debian/tests/control': link('../../../../pipe'), pipe }],
  ['has a link to a file of the system', { 'pkg/debian/tests/control': link('/etc/os-release') }],
  ['has a file for a folder', { 'pkg/debian/tests': file }],
  ['has a pipe without a reader', { 'pkg/debian/tests/pipe': pipe, 'pkg/debian/tests/control': file }],
])('a package can be read that %s', async (_, files) => {
  expect(await find(files)).toBeNull();
});
