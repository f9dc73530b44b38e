import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, Header } from 'tar';
import { ArtifactsIndexer, artifactsIndexText, MEMBERS_MAX, parseArtifactsIndex } from './artifacts-index';
import { isInside, TarMembers, type TarMember } from './tar-members';

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'tar-members-'))));
afterEach(async () => rm(folder, { recursive: true }));

function membersOf(archive: Buffer, pieceBytes: number): TarMember[] {
  const contents: TarMember[] = [];
  const members = new TarMembers((member) => void contents.push(member));
  for (let at = 0; at < archive.length; at += pieceBytes) members.add(archive.subarray(at, at + pieceBytes));
  return contents;
}

async function archiveOf(names: string[]): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of create({ cwd: folder, portable: true }, names)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** One record, as a hostile worker may write it. */
function record(path: string, type: 'File' | 'Link' | 'Directory', size = 0): Buffer {
  const bytes = Buffer.alloc(512);
  new Header({ path, type, size, mode: 0o644 }).encode(bytes);
  return bytes;
}

it.each([1, 100, 512, 100_000])(
  'each plain file is found where it is, read %i bytes at a time',
  async (pieceBytes) => {
    const long = `${'deep/'.repeat(40)}file`;
    await mkdir(join(folder, 'deep/'.repeat(40)), { recursive: true });
    await writeFile(join(folder, long), 'at the end of a long path');
    await writeFile(join(folder, 'empty'), '');
    await writeFile(join(folder, 'large'), 'x'.repeat(5_000));
    await writeFile(join(folder, 'ünï'), 'name');
    await symlink('/etc/passwd', join(folder, 'link'));
    const archive = await archiveOf(['./deep', './empty', './large', './link', './ünï']);
    const members = membersOf(archive, pieceBytes).sort((a, b) => (a.path < b.path ? -1 : 1));
    expect(members.map(({ path, size }) => [path, size])).toEqual([
      [long, 25],
      ['empty', 0],
      ['large', 5_000],
      ['ünï', 4],
    ]);
    const contentOf = ({ offset, size }: TarMember) => archive.subarray(offset, offset + size).toString();
    expect(members.map(contentOf)).toEqual(['at the end of a long path', '', 'x'.repeat(5_000), 'name']);
  },
);

it('names that lead out of an archive are passed over, and so is what is no archive', () => {
  const bad = ['../up', '/etc/passwd', 'a/../../b', 'a//b', 'a\\b'];
  const archive = Buffer.concat([...bad.map((path) => record(path, 'File')), record('good', 'File')]);
  expect(membersOf(archive, 512).map(({ path }) => path)).toEqual(['good']);
  expect(membersOf(Buffer.from('no archive'.repeat(100)), 512)).toEqual([]);
});

it('the size of a folder or link hides no file after it', () => {
  const archive = Buffer.concat([
    record('d/', 'Directory', 512),
    record('l', 'Link', 512),
    record('good', 'File'),
  ]);
  expect(membersOf(archive, 100).map(({ path }) => path)).toEqual(['good']);
});

it.each([
  ['a/b.txt', true],
  ['...', true],
  ['', false],
  ['..', false],
  ['a/..', false],
  ['./a', false],
  ['/a', false],
  ['a/', false],
  ['a\0b', false],
])('whether %j is inside an archive: %s', (path, inside) => {
  expect(isInside(path)).toBe(inside);
});

it('an index of artifacts travels as JSON, and lists only as many as it may', () => {
  const indexer = new ArtifactsIndexer();
  indexer.addBlock({ gzipOffset: 10, offset: 0 });
  for (let n = 0; n < 20_000; n += 1) indexer.addMember({ path: `file-${n}`, size: n, offset: n });
  const index = indexer.end();
  expect(index).toMatchObject({ membersTotal: 20_000 });
  expect(index.members).toHaveLength(MEMBERS_MAX);
  const text = artifactsIndexText(index);
  expect(text.length).toBeLessThan(1024 * 1024);
  expect(parseArtifactsIndex(text)).toEqual(index);
});

it.each([
  'null',
  '{',
  '{"version":1,"membersTotal":1,"members":[["a",-1,0]],"blocks":[]}',
  '{"version":1,"membersTotal":1,"members":[["../a",1,0]],"blocks":[]}',
  '{"version":1,"membersTotal":1,"members":[["\\ud800",1,0]],"blocks":[]}',
])('what is no index of artifacts does not count as one: %s', (text) => {
  expect(parseArtifactsIndex(text)).toBeNull();
});
