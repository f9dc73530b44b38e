import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { list } from 'tar';
import { packArtifacts } from './pack-artifacts';
import { packLog } from './pack-log';

let folder: string;
let target: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packing-'));
  target = `${folder}.packed`;
});
afterEach(async () => {
  await rm(folder, { recursive: true });
  await rm(target, { force: true });
});

async function names(): Promise<string[]> {
  const paths: string[] = [];
  await list({ file: target, onReadEntry: (entry) => void paths.push(entry.path) });
  return paths;
}

describe('packLog', () => {
  const log = () => join(folder, 'log');

  const limits = (logHeadBytesMax: number, logTailBytesMax: number) => ({
    logHeadBytesMax,
    logTailBytesMax,
    errorPatterns: [],
  });

  it.each([
    ['', 10, 2, ''],
    ['0123456789', 10, 2, '0123456789'],
    ['0123456789ab', 10, 2, '0123456789ab'],
    ['0123456789abc', 10, 2, '0123456789\n[1 bytes of the log are left out here]\nbc'],
    ['0123456789abcdef', 10, 2, '0123456789\n[4 bytes of the log are left out here]\nef'],
    ['0123456789abcdef', 1, 12, '0\n[3 bytes of the log are left out here]\n456789abcdef'],
    ['0123456789abcdef', 10, 0, '0123456789\n[6 bytes of the log are left out here]\n'],
  ])(
    'the log %j is packed with %i bytes of its beginning and %i of its end',
    async (text, head, tail, packed) => {
      await writeFile(log(), text);
      await packLog(log(), target, limits(head, tail), 'nothing');
      expect(gunzipSync(await readFile(target)).toString()).toBe(packed);
    },
  );

  it('every byte of a log is packed as it is', async () => {
    const bytes = Buffer.concat([
      Buffer.from('a\r\nb\0\xff\n', 'latin1'),
      Buffer.from('no newline √').subarray(0, -1),
    ]);
    await writeFile(log(), bytes);
    await packLog(log(), target, limits(1000, 0), 'nothing');
    expect(gunzipSync(await readFile(target))).toEqual(bytes);
  });

  it('a substitute is packed when there is no log, or a test put something else in its place', async () => {
    await packLog(log(), target, limits(10, 10), 'nothing');
    expect(gunzipSync(await readFile(target)).toString()).toBe('nothing');
    await symlink('/etc/passwd', log());
    await packLog(log(), target, limits(10, 10), 'nothing');
    expect(gunzipSync(await readFile(target)).toString()).toBe('nothing');
    await rm(log());
    execFileSync('mkfifo', [log()]);
    await packLog(log(), target, limits(10, 10), 'nothing');
    expect(gunzipSync(await readFile(target)).toString()).toBe('nothing');
  });
});

describe('packArtifacts', () => {
  async function fill(): Promise<void> {
    await mkdir(join(folder, 'artifacts/deep'), { recursive: true });
    await writeFile(join(folder, 'log'), 'x'.repeat(1000));
    await writeFile(join(folder, 'summary'), 'PASS');
    await writeFile(join(folder, '@odd'), 'odd');
    await writeFile(join(folder, 'artifacts/small'), 'x'.repeat(10));
    await writeFile(join(folder, 'artifacts/deep/large'), 'x'.repeat(100));
    await symlink('/etc/passwd', join(folder, 'artifacts/link'));
    await chmod(join(folder, 'artifacts'), 0o755);
  }

  it('everything but the log is packed as artifacts, the same bytes each time', async () => {
    await fill();
    await packArtifacts(folder, target, 1000);
    const hash = async () =>
      createHash('sha256')
        .update(await readFile(target))
        .digest('hex');
    const first = await hash();
    expect((await names()).map((name) => name.replace(/^\.\//, ''))).toEqual([
      '@odd',
      'artifacts/',
      'artifacts/deep/',
      'artifacts/deep/large',
      'artifacts/small',
      'left-out.txt',
      'summary',
    ]);
    await utimes(join(folder, 'summary'), 1, 1);
    await packArtifacts(folder, target, 1000);
    expect(await hash()).toBe(first);
  });

  it('the largest artifacts and those that are no files are left out, and a list names them', async () => {
    await fill();
    execFileSync('mkfifo', [join(folder, 'artifacts/fifo')]);
    await packArtifacts(folder, target, 50);
    const packed = (await names()).map((name) => name.replace(/^\.\//, ''));
    expect(packed).not.toContain('artifacts/deep/large');
    expect(packed).not.toContain('artifacts/fifo');
    expect(packed).toContain('artifacts/small');
    expect(packed).toContain('left-out.txt');
    expect(await readFile(join(folder, 'left-out.txt'), 'utf8')).toBe(
      'artifacts/deep/large: 100 bytes, too large\nartifacts/fifo: neither a file nor a folder\nartifacts/link: a link\n',
    );
  });

  it('an artifact is left out when its name is no text, or too long to be reached', async () => {
    await writeFile(Buffer.concat([Buffer.from(`${folder}/odd-`), Buffer.from([0xff])]), 'odd');
    await writeFile(join(folder, 'sound'), 'sound');
    const deep = Array.from({ length: 17 }, () => 'n'.repeat(250)).join('/');
    execFileSync('mkdir', ['-p', deep], { cwd: folder });
    await packArtifacts(folder, target, 1000);
    const packed = await names();
    expect(packed).toContain('./sound');
    expect(packed.filter((path) => path.startsWith('./odd'))).toEqual([]);
    const leftOut = await readFile(join(folder, 'left-out.txt'), 'utf8');
    execFileSync('rm', ['-r', 'n'.repeat(250)], { cwd: folder });
    expect(leftOut).toMatch(
      /^(n+\/)+n+: its name is too long or no text\nodd-\ufffd: its name is too long or no text\n$/,
    );
  });

  it('an empty folder of artifacts is packed', async () => {
    await packArtifacts(folder, target, 50);
    expect(await names()).toEqual(['./']);
  });
});
