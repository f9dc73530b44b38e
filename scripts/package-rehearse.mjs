// `npm run package:rehearse [-- [--packages FOLDER] ROOT…]`: the packages from installation to purge in fresh roots of Debian's releases, whose services are
// Debian's own. A root is RELEASE or RELEASE/ARCHITECTURE; a foreign one, which qemu-user executes, gets the worker's packages alone.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './built.mjs';
import { output, requirePrograms, run } from './packaging/programs.mjs';

const ROOTS = ['bookworm', 'trixie', 'trixie/arm64'];
/** Releases whose own Node is too old. */
const WITHOUT_NODE = ['bookworm'];
const NODE_LINE = '24';
const MIRROR = 'http://deb.debian.org/debian';
/**
 * Runs a command in a user namespace in which all users are themselves: the kernel uses the interpreters of its binfmt_misc first, and
 * nothing of the machine is changed. It waits until the ids are mapped. The last shell stays: the kernel removes interpreters with the last
 * mount of their binfmt_misc.
 */
const WITH_INTERPRETER = `
  interpreter=$1; shift
  unshare --user sh -ec '
    until grep -q . /proc/self/uid_map && grep -q . /proc/self/gid_map; do sleep 0.1; done
    interpreter=$1; shift
    exec unshare --mount sh -ec "
      mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
      printf %s \\"\\$1\\" > /proc/sys/fs/binfmt_misc/register
      shift
      \\"\\$@\\"
      exit" sh "$interpreter" "$@"' sh "$interpreter" "$@" &
  child=$!
  until [ "$(readlink /proc/$child/ns/user)" != "$(readlink /proc/self/ns/user)" ]; do sleep 0.1; done
  echo 0 0 4294967295 > /proc/$child/uid_map
  echo 0 0 4294967295 > /proc/$child/gid_map
  wait $child`;
/** The interpreters of qemu-user-static. */
const INTERPRETERS = '/usr/lib/binfmt.d';

if (process.getuid() !== 0) {
  console.error('this makes roots, mounts and namespaces: run it as root');
  process.exit(2);
}
requirePrograms({ mmdebstrap: 'mmdebstrap', unshare: 'util-linux' });
const own = output('dpkg', ['--print-architecture']);
const { values, positionals } = parseArgs({
  options: { packages: { type: 'string' } },
  allowPositionals: true,
});
const roots = positionals.length > 0 ? positionals : ROOTS;

const folder = mkdtempSync(join(tmpdir(), 'proctor-rehearsal-'));
// apt's own user reads there.
chmodSync(folder, 0o755);
try {
  const failed = rehearse(folder);
  console.log(
    failed.length === 0 ? `\nall of it holds in ${roots.join(', ')}` : `\nfailed: ${failed.join(', ')}`,
  );
  process.exitCode = failed.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** @returns the roots in which something failed */
function rehearse(folder) {
  const first = values.packages ? resolve(values.packages) : join(folder, 'built');
  if (!values.packages) make(['--out', first]);
  const debs = readdirSync(first).filter((name) => /^proctor.*_all\.deb$/.test(name));
  for (const name of debs) {
    mkdirSync(join(folder, 'first'), { recursive: true });
    cpSync(join(first, name), join(folder, 'first', name));
    makeLater(join(first, name), join(folder, 'second'));
  }
  return roots.filter((name) => !holdsIn(folder, name));
}

/** Copies a package under a later version. */
function makeLater(deb, out) {
  mkdirSync(out, { recursive: true });
  const tree = join(out, 'tree');
  run('dpkg-deb', ['--raw-extract', deb, tree]);
  const version = output('dpkg-deb', ['--field', deb, 'Version']);
  const control = join(tree, 'DEBIAN/control');
  writeFileSync(control, readFileSync(control, 'utf8').replaceAll(version, `${version}+later`));
  run('dpkg-deb', ['--root-owner-group', '-z1', '--build', tree, out]);
  rmSync(tree, { recursive: true });
}

function holdsIn(folder, name) {
  const [release, arch = own] = name.split('/');
  console.log(`\n==== ${release} on ${arch}`);
  const place = join(folder, name.replace('/', '-'));
  const interpreter = arch === own ? '' : interpreterOf(arch);
  const shared = join(place, 'rehearsal');
  inNamespaces(
    interpreter,
    'exec mmdebstrap --variant=minbase --architectures="$1" --include=ca-certificates "$2" "$3" "$4"',
    [...[arch, release, place, MIRROR]],
  );
  mkdirSync(shared);
  for (const version of ['first', 'second'])
    cpSync(join(folder, version), join(shared, version), { recursive: true });
  if (WITHOUT_NODE.includes(release))
    make(['--node', NODE_LINE, '--arch', arch, '--out', join(shared, 'node')]);
  cpSync(join(root, 'deploy/debian/tests'), join(shared, 'tests'), { recursive: true });
  cpSync(join(root, 'deploy/debian/rehearsal'), join(shared, 'steps'));
  const part = arch === own ? ['server', 'unshare'] : ['worker', ''];
  const script = `
    mount --make-rprivate /
    mount --bind "$1" "$1"
    cd "$1"
    mount -t proc proc proc
    mount --rbind /sys sys
    mount --rbind /dev dev
    mkdir rehearsal/machine
    # In a mere chroot no process may make a namespace of users.
    pivot_root . rehearsal/machine
    umount --lazy /rehearsal/machine
    exec /rehearsal/steps "$2" "$3"`;
  const passed = inNamespaces(interpreter, script, [place, ...part]);
  rmSync(place, { recursive: true, force: true });
  return passed;
}

/** Runs a script in namespaces of mounts and processes, which end with it. */
function inNamespaces(interpreter, script, args) {
  const own = ['unshare', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc', 'sh', '-ec'];
  const program = interpreter === '' ? own : ['sh', '-ec', WITH_INTERPRETER, 'sh', interpreter, ...own];
  const { status } = spawnSync(program[0], [...program.slice(1), script, 'sh', ...args], {
    stdio: 'inherit',
    env: { PATH: process.env.PATH, HOME: '/root', ...passedOn() },
  });
  return status === 0;
}

/** How the mirror is reached, and PROCTOR_TEST_PACKAGE: what is tested in the place of `gzip`. */
function passedOn() {
  const names = /^(https?_proxy|PROCTOR_TEST_PACKAGE)$/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => names.test(name)));
}

function interpreterOf(arch) {
  const processor = {
    arm64: 'aarch64',
    armhf: 'arm',
    riscv64: 'riscv64',
    ppc64el: 'ppc64le',
    s390x: 's390x',
  }[arch];
  const file = join(INTERPRETERS, `qemu-${processor}.conf`);
  if (processor === undefined || !existsSync(file))
    throw new Error(`nothing here executes ${arch}: apt-get install qemu-user-static`);
  return readFileSync(file, 'utf8').trim();
}

function make(args) {
  process.stdout.write(run(process.execPath, [join(root, 'scripts/package.mjs'), ...args]));
}
