import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { candidates, interpretersFor, isCompatible } from './emulators';

const LINE = ':qemu-aarch64:M::\\x7fELF\\x02:\\xff\\xff:/usr/bin/qemu-aarch64-static:';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'emulators-'));
  for (const name of ['registered', 'own', 'package']) await mkdir(join(folder, name));
});
afterEach(async () => rm(folder, { recursive: true }));

const find = (arch = 'arm64') =>
  interpretersFor(arch, {
    registered: join(folder, 'registered'),
    configured: [join(folder, 'own'), join(folder, 'package')],
  });
const write = (name: string, text: string) => writeFile(join(folder, name), text);

it('no interpreter is found where none is installed, nor for an unknown architecture', async () => {
  expect(await find()).toBeNull();
  expect(await find('pdp11')).toBeNull();
});

it('the sandbox registers the interpreter of a package, or rather that of a local file', async () => {
  await write('package/qemu-aarch64.conf', `# made by a package\n${LINE}PF\n`);
  expect(await find()).toEqual([`${LINE}PF`]);
  await write('own/qemu-aarch64.conf', `${LINE}F`);
  expect(await find()).toEqual([`${LINE}F`]);
});

it('an interpreter that a testbed would not find is ignored', async () => {
  await write('package/qemu-aarch64.conf', `${LINE}P\n`);
  await write('registered/qemu-aarch64', 'enabled\ninterpreter /usr/bin/qemu-aarch64\nflags: P\n');
  expect(await find()).toBeNull();
});

it.each([
  ['enabled\ninterpreter /usr/bin/qemu-aarch64\nflags: PF\n', []],
  ['disabled\ninterpreter /usr/bin/qemu-aarch64\nflags: PF\n', null],
])('the sandbox registers no interpreter that the machine has registered: %j', async (text, expected) => {
  await write('registered/qemu-aarch64', text);
  expect(await find()).toEqual(expected);
});

it('a processor may execute compatible architectures by itself', () => {
  expect(isCompatible('amd64', 'i386')).toBe(true);
  expect(isCompatible('i386', 'amd64')).toBe(false);
  expect(isCompatible('riscv64', 'riscv64')).toBe(true);
  expect(candidates('amd64').slice(0, 3)).toEqual(['amd64', 'i386', 'arm64']);
});
