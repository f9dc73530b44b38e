import { execFileSync } from 'node:child_process';
import { chmod, link, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { artifactsIndexText, parseArtifactsIndex } from '@proctor/result-files';
import { list, type ReadEntry } from 'tar';
import { packArtifacts } from './pack-artifacts';

let folder: string;
let target: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hostile-'));
  target = `${folder}.packed`;
});
afterEach(async () => {
  await rm(folder, { recursive: true });
  await rm(target, { force: true });
});

async function entries(): Promise<ReadEntry[]> {
  const members: ReadEntry[] = [];
  await list({ file: target, onReadEntry: (entry) => void members.push(entry) });
  return members;
}

const inside = (path: string): string => path.replace(/^\.\//, '');

/** Names that a test may give to its artifacts, and whether they are in the archive. */
const NAMES: [name: string, isPacked: boolean][] = [
  ['plain', true],
  ['with blanks', true],
  ['trailing blank ', true],
  ['100%', true],
  ['%2e%2e', true],
  ['what?#;&=+', true],
  ['..odd', true],
  ['.hidden', true],
  ['-rf', true],
  ['@plain', true],
  ['index.html', true],
  ['Plain', true],
  ['n'.repeat(250), true],
  ['ünïcödé', true],
  ['back\\slash', false],
  ['..\\..\\etc', false],
  ['new\nline', false],
  ['bell\x07', false],
  ['escape\x1b[31m', false],
  ['right\u202eto left', false],
  ['separator\u2028', false],
];

it('what is packed, what is listed and what is named in an address are the same, whatever names tests give', async () => {
  for (const [name] of NAMES) await writeFile(join(folder, name), name);
  await writeFile(join(folder, 'log'), 'the log');
  const { index } = await packArtifacts(folder, target, 1_000_000);
  const parsed = parseArtifactsIndex(artifactsIndexText(index));
  const packed = NAMES.flatMap(([name, isPacked]) => (isPacked ? [name] : []));
  const members = parsed?.members.map(({ path }) => path) ?? [];
  expect(new Set(members)).toEqual(new Set([...packed, 'left-out.txt']));
  expect((await entries()).map(({ path }) => inside(path)).sort()).toEqual([...members].sort());
  expect(parsed?.membersTotal).toBe(members.length);
  const archive = gunzipSync(await readFile(target));
  for (const { path, size, offset } of parsed!.members.filter((member) => member.path !== 'left-out.txt')) {
    expect(archive.subarray(offset, offset + size).toString()).toBe(path);
    const address = new URL(`http://x/artifacts/${path.split('/').map(encodeURIComponent).join('/')}`);
    expect(decodeURIComponent(address.pathname)).toBe(`/artifacts/${path}`);
  }
  const leftOut = await readFile(join(folder, 'left-out.txt'), 'utf8');
  expect(leftOut).not.toMatch(/[^\n\P{Cc}]|[\p{Cf}\p{Zl}\p{Zp}]/u);
  // Each name is written as in JSON, without invisible characters.
  const names = leftOut
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line.replace(': a character of its name cannot be served', '')) as unknown);
  expect(names.sort()).toEqual(NAMES.flatMap(([name, isPacked]) => (isPacked ? [] : [name])).sort());
});

it('a test cannot keep the list of what was left out from being packed', async () => {
  await mkdir(join(folder, 'left-out.txt'));
  await writeFile(join(folder, 'left-out.txt', 'file'), 'x');
  await symlink('nowhere', join(folder, 'link'));
  const { index } = await packArtifacts(folder, target, 1_000_000);
  expect(index.members.map(({ path }) => path)).toEqual(['left-out.txt']);
  expect(await readFile(join(folder, 'left-out.txt'), 'utf8')).toBe('link: a link\n');
});

it('an archive of artifacts is harmless to unpack: no rights, owners, links or devices of a test', async () => {
  await mkdir(join(folder, 'deep'), { mode: 0o777 });
  await writeFile(join(folder, 'deep/program'), 'x');
  await chmod(join(folder, 'deep/program'), 0o6755);
  await chmod(join(folder, 'deep'), 0o3777);
  await writeFile(join(folder, 'open'), 'the same');
  await chmod(join(folder, 'open'), 0o666);
  await link(join(folder, 'open'), join(folder, 'twin'));
  await symlink('/etc/passwd', join(folder, 'away'));
  await symlink('../..', join(folder, 'deep/up'));
  await symlink('open', join(folder, 'near'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  const server = createServer().listen(join(folder, 'socket'));
  await new Promise((resolve) => server.once('listening', resolve));
  const { index } = await packArtifacts(folder, target, 1_000_000);
  const members = await entries();
  await new Promise((resolve) => server.close(resolve));
  expect(members.map(({ path, type, mode }) => `${type} ${inside(path)} ${(mode ?? 0).toString(8)}`)).toEqual(
    [
      'Directory deep/ 755',
      'File deep/program 755',
      'File left-out.txt 644',
      'File open 644',
      'File twin 644',
    ],
  );
  expect(members.every(({ uid, gid, uname, gname }) => !uid && !gid && !uname && !gname)).toBe(true);
  expect(index.members.map(({ path }) => path)).toEqual(['deep/program', 'left-out.txt', 'open', 'twin']);
  expect(await readFile(join(folder, 'left-out.txt'), 'utf8')).toBe(
    'away: a link\ndeep/up: a link\nnear: a link\npipe: neither a file nor a folder\nsocket: neither a file nor a folder\n',
  );
});
