import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunFolder } from '../../sandbox/run-folder';
import { commandKind, usesImage } from '../command-backend';
import { LXC } from './lxc';
import { PODMAN } from './podman';
import { QEMU } from './qemu';
import { SCHROOT } from './schroot';
import { UNSHARE } from './unshare';

let path: string;
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'kinds-'));
  await chmod(path, 0o755);
});
afterEach(async () => rm(path, { recursive: true }));

const use = (mode = '') => ({
  image: "/images/it's one",
  suite: 'trixie',
  arch: 'amd64',
  mode,
  folder: { path } as RunFolder,
});

it.each([
  [UNSHARE, ['unshare', '--tarball', "/images/it's one"]],
  [SCHROOT, ['schroot', 'testbed']],
  [LXC, ['lxc', 'testbed']],
  [PODMAN, ['podman', 'localhost/testbed', '--stop-timeout=0']],
])('$name has its virtualisation server', async (kind, server) => {
  expect((await kind.use(use())).server).toEqual(server);
});

it.each([[SCHROOT], [LXC], [PODMAN]])(
  '$name gets its image as an argument, not in a script',
  async (kind) => {
    const { wrapper = [] } = await kind.use(use());
    expect(wrapper.at(-1)).toBe("/images/it's one");
    expect(wrapper.filter((argument) => argument.includes('/images/'))).toHaveLength(1);
  },
);

/** What `unshare` would be called with where a runner of unshare calls it so. */
async function unshareOf(...command: string[]): Promise<string[]> {
  const program = join(path, 'unshare');
  await writeFile(program, `#!/bin/sh\nprintf '%s\\n' "$@"\n`, { mode: 0o755 });
  const [shell = '', ...args] = (await UNSHARE.use(use())).wrapper ?? [];
  const env = { TMPDIR: await mkdtemp(join(path, 'area-')), PATH: `${path}:/usr/bin:/bin` };
  const { stdout, stderr } = spawnSync(shell, [...args, ...command], { env, encoding: 'utf8' });
  return [...stdout.split('\n').slice(0, -1), ...stderr.split('\n').slice(0, -1)];
}

it.each([
  [
    ['--map-auto', '--map-root-user', 'rm', '-rf', '/a b', '--user'],
    ['--', 'rm', '-rf', '/a b', '--user'],
  ],
  [
    ['--map-auto', '--map-root-user', '--user', '--mount', '--', '/lib/a', '--map-auto', ''],
    ['--mount', '--', '/lib/a', '--map-auto', ''],
  ],
  [
    ['--user', '--map-root-user', '--mount', '--', '/lib/unshare-helper', '/a b', '--', 'true'],
    [
      ...['--mount', '--', 'sh', '-c', 'mount --bind "$2" "$2" && exec "$@"', 'sh'],
      ...['/lib/unshare-helper', '/a b', '--', 'true'],
    ],
  ],
])(
  'what autopkgtest starts by unshare %j begins in the user namespace that is there',
  async (request, command) => {
    expect(await unshareOf('unshare', ...request)).toEqual(command);
  },
);

it.each([
  ['kvm', '--timeout-reboot=60'],
  ['tcg', '--timeout-reboot=900'],
])('qemu boots its image in the mode %s', async (mode, timeout) => {
  const { server } = await QEMU.use(use(mode));
  expect(server).toContain(timeout);
  const emulator = join(path, 'qemu-system-x86_64');
  expect(server).toContain(`--qemu-command=${emulator}`);
  expect((await stat(emulator)).mode & 0o777).toBe(0o755);
  const script = await readFile(emulator, 'utf8');
  expect(script).toContain(`\nmode='${mode}'\n`);
  expect(script).toContain("\nimage='/images/it'\\''s one'\n");
});

describe.each([SCHROOT, LXC, PODMAN, QEMU])('the time that autopkgtest gives a testbed of $name', (kind) => {
  it.each([
    ['two minutes where its server gives a second', 'autopkgtest-virt-any', '120'],
    ['as long as the runner itself says', 'autopkgtest', '1'],
  ])('is %s', async (_, program, seconds) => {
    const { wrapper } = await kind.use(use());
    const PYTHONPATH = join(path, 'python');
    expect(wrapper).toContain(PYTHONPATH);
    await writeFile(join(path, program), 'import signal; signal.alarm(1); print(signal.alarm(0))');
    const { stdout, stderr } = spawnSync('python3', [join(path, program)], {
      env: { PYTHONPATH },
      encoding: 'utf8',
    });
    expect([stderr, stdout]).toEqual(['', `${seconds}\n`]);
  });
});

it('qemu says which architectures it has images for', () => {
  expect(() => QEMU.tools('s390x')).toThrow('images for virtual machines are made for amd64, i386');
});

it('a configured server gets an image of ours where its template asks for one', async () => {
  const template = ['own', '--arch={arch}', '{image}'];
  expect(usesImage(template)).toBe(true);
  expect(usesImage(['own', '{suite}'])).toBe(false);
  const { server } = await commandKind('own', template).use(use());
  expect(server).toEqual(['own', '--arch=amd64', "/images/it's one"]);
});
