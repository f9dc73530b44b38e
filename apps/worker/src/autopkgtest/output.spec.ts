import { appendFile, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageVersion, readOutput, serverTrouble } from './output';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'output-'))));
afterEach(async () => rm(folder, { recursive: true }));

it('a folder without any file has no output', async () => {
  const nothing = { version: null, tests: [], trouble: null, logEnd: '' };
  expect(await readOutput(folder)).toEqual(nothing);
  expect(await readOutput(join(folder, 'missing'))).toEqual(nothing);
});

it('the output has version and trouble, and no link is followed', async () => {
  await writeFile(join(folder, 'testpkg-version'), 'diffutils 1:3.8-4\n');
  await writeFile(join(folder, 'secret'), 'a secret of the machine\n');
  await symlink(join(folder, 'secret'), join(folder, 'summary'));
  expect(await readOutput(folder)).toMatchObject({ version: '1:3.8-4', trouble: null });
});

/** As autopkgtest 5.28 logs a virtualisation server that ends with an exception. */
function crashed(exception: string): string {
  return (
    `it runs\nUnexpected error:\nTraceback (most recent call last):\n  File "/usr/share/VirtSubproc.py", line 829, in mainloop\n` +
    `    command()\n${exception}\nautopkgtest [11:40:57]: ERROR: testbed failure: unexpected eof from the testbed\n`
  );
}

it('the output has how the single tests ended, and what else the summary says', async () => {
  await writeFile(join(folder, 'summary'), 'unit                 PASS\ntestbed failure: gone\n');
  expect(await readOutput(folder)).toMatchObject({
    tests: [{ name: 'unit', status: 'PASS', detail: null }],
    trouble: 'testbed failure: gone',
  });
});

it('the output has why the testbed failed, which only the log says', async () => {
  await writeFile(join(folder, 'summary'), 'testbed failure: unexpected eof from the testbed\n');
  await writeFile(join(folder, 'log'), 'x'.repeat(100_000));
  await appendFile(
    join(folder, 'log'),
    '\n<VirtSubproc>: failure: there is no tarball\nautopkgtest: ERROR\n',
  );
  const { trouble, logEnd } = await readOutput(folder);
  expect(trouble).toBe('testbed failure: unexpected eof from the testbed: there is no tarball');
  expect(logEnd).toHaveLength(64 * 1024);
});

it.each([
  ['', null],
  ['one <VirtSubproc>: failure: of a test', null],
  ['<VirtSubproc>: failure: a\n<VirtSubproc>: failure: b: c\n', 'b: c'],
  ['  0s <VirtSubproc>: failure: a\n123s <VirtSubproc>: failure: b\n', 'b'],
  [crashed('VirtSubproc.Timeout: 5'), 'a program did not end within 5 s'],
  [crashed('VirtSubproc.Timeout: 5').replace(/^/gm, ' 12s '), 'a program did not end within 5 s'],
  [crashed("FileNotFoundError: [Errno 2] no: 'a'"), "FileNotFoundError: [Errno 2] no: 'a'"],
  [crashed('KeyError: 1').replace('unexpected eof', 'another'), null],
])('the trouble of the server is found in the log %j', (log, trouble) => {
  expect(serverTrouble(log)).toBe(trouble);
});

it.each([
  ['hello 2.10-3\n', '2.10-3'],
  ['hello 1:4.9~rc1+b2-1.1', '1:4.9~rc1+b2-1.1'],
  ['', null],
  ['hello', null],
  ['hello 1 2', null],
  ['hello 1\0', null],
  [`hello ${'1'.repeat(300)}`, null],
])('the version of the package is found in %j', (text, version) => {
  expect(packageVersion(text)).toBe(version);
});
