import { execFile } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { list } from 'tar';

/** What a test of look-around.py has seen. */
export interface Sight {
  /** Secrets by name, and where they stood. */
  found: [secret: string, path: string][];
  /** Paths with the mark of what was planted. */
  marked: string[];
  sockets: string[];
  /** Names of the environment variables of all processes. */
  variables: string[];
  abstract: string[];
  listeners: string[];
  reached: [string, number][];
  /** Every path but those of /proc, after a letter: f, d, l, s and o for files, folders, links, sockets and others. */
  paths: string[];
  /** What the packages of the testbed have brought. */
  owned: Set<string>;
}

const OUTPUT_BYTES_MAX = 1024 ** 3;

/** Where in a tar file of an image its root folder is: podman's hold the storage of podman. */
const ROOT_IN_TAR = /^(?:\.\/)?(?:overlay\/[^/]+\/diff\/)?/;

/** Every path of a backend's image in a worker's folder, as it is seen from within: `/etc/hostname`. */
export async function imagePaths(workPath: string, backend: string): Promise<Set<string>> {
  const folder = join(workPath, 'images', backend);
  const names = await readdir(folder);
  const name = names.find((each) => /\.(tar|raw)$/.test(each));
  if (name === undefined) throw new Error(`there is no image in ${folder}`);
  const path = join(folder, name);
  return new Set(name.endsWith('.raw') ? await pathsOnDisk(path) : await pathsInTar(path));
}

async function pathsInTar(file: string): Promise<string[]> {
  const paths: string[] = [];
  const onReadEntry = (entry: { path: string }) =>
    void paths.push(`/${entry.path.replace(ROOT_IN_TAR, '').replace(/\/$/, '')}`);
  await list({ file, onReadEntry });
  return paths;
}

/** The paths on a disk without partitions. Reads all folders of a level at a time. */
async function pathsOnDisk(file: string): Promise<string[]> {
  const paths: string[] = [];
  let folders: [inode: string, path: string][] = [['2', '']];
  while (folders.length > 0) {
    const next: typeof folders = [];
    for (const [place, listing] of (
      await listingsOf(
        file,
        folders.map(([inode]) => inode),
      )
    ).entries()) {
      for (const [, inode = '', mode = '', name = ''] of listing.matchAll(
        /^\/(\d+)\/(\d+)\/\d+\/\d+\/(.+)\/\d*\/$/gm,
      )) {
        if (name === '.' || name === '..') continue;
        const path = `${folders[place]![1]}/${name}`;
        paths.push(path);
        if (mode.startsWith('04')) next.push([inode, path]);
      }
    }
    folders = next;
  }
  return paths;
}

/** What debugfs lists of folders, one after the other. */
async function listingsOf(file: string, inodes: string[]): Promise<string[]> {
  const child = promisify(execFile)('debugfs', ['-f', '-', file], { maxBuffer: OUTPUT_BYTES_MAX });
  child.child.stdin?.end(inodes.map((inode) => `ls -p <${inode}>\n`).join(''));
  const { stdout } = await child;
  // It repeats each of its orders.
  return stdout.split(/^debugfs: ls -p <\d+>$/m).slice(1);
}

/** What Proctor, autopkgtest and look-around.py put into every testbed, and what its kernel shows there. */
const TESTBED = [
  /^\/(proc|sys)(\/|$)/,
  /^\/cell$/,
  /^\/dev\/(\.lxc(\/sys(\/.*)?)?|\.lxc-boot-id|console|core|full|initctl|log|mqueue|null|ptmx|pts|random|shm|tty\d*|urandom|zero)$/,
  /^\/dev\/pts\/(ptmx|\d+)$/,
  /^\/etc\/(hosts|mtab|debian_chroot|apt\/apt\.conf\.d\/99proctor|sub[ug]id-|g?shadow-)$/,
  /^\/home\/unshare(\/|$)/,
  /^\/(tmp|mnt|run)\/autopkgtest[\w.-]*(\/|$)/,
  /^\/tmp\/(eofcat|tmp\.\w+(\/(out|err))?)$/,
  /^\/usr\/sbin\/autopkgtest-reboot$/,
  /^\/var\/(lib\/apt\/lists|cache\/apt)\//,
  /\/__pycache__(\/|$)/,
];

/** What podman and systemd make in theirs. */
const CONTAINER = [/^\/run\/(\.containerenv|lock|mount|shm)$/];
const BOOTED = [
  ...CONTAINER,
  /^\/run\/(agetty\.reload|credentials|dbus|initctl|initramfs|log|sendsigs\.omit\.d|systemd|tmpfiles\.d|udev|user|utmp)(\/|$)/,
  /^\/tmp\/\.(font|ICE|X11|XIM)-unix$/,
  /^\/(var\/)?tmp\/systemd-private-/,
  /^\/var\/(lib\/dbus\/machine-id$|lib\/systemd\/|log\/journal\/)/,
];

/** A work area, in the first of these folders that is empty. */
const AREA = '/(mnt|media|srv|opt|var/opt|var/local)';

/** What a sandbox has of its own; of the machine's covered files the names in the root folder and in /var are left. */
const SANDBOX = [
  /^\/[^/]+$/,
  /^\/var\/[^/]+$/,
  /^\/run\/(lock|mount)$/,
  new RegExp(
    `^${AREA}/(\\.resolv\\.conf|\\.(run|tmp|var-tmp|shm)|\\.run/(lock|mount)|autopkgtest-fifo\\.\\w+)$`,
  ),
];

/** The network of a testbed's root. */
const OWN_NETWORK = /^\/sys\/devices\/virtual\/net\/eth0(\/|$)/;

/** What stands in for `unshare`. */
const UNSHARE = new RegExp(`^${AREA}/bin(/unshare)?$`);

/** schroot's copy of its configuration, its sessions and its overlay. */
const SCHROOT = [
  /^\/run\/schroot(\/mount)?$/,
  /^\/etc\/schroot\/(chroot\.d\/testbed|setup\.d\/11proctor|proctor(\/\w+)?)$/,
  // The run's own control group.
  /^\/sys\/fs\/cgroup\/[\w.]+$/,
  new RegExp(`^${AREA}/schroot(/var|/(etc|pam\\.d)(/.*)?)?$`),
  new RegExp(
    `^(${AREA}/schroot/var|/var/lib/schroot)/(mount|unpack|session(/testbed-[^/]+)?|union(/(under|over)lay)?|union/underlay/testbed-[^/]+)$`,
  ),
  new RegExp(
    `^(${AREA}/schroot/var|/var/lib/schroot)/union/overlay/testbed-[^/]+(/(work|upper|own))?(/work|/upper)?(/work(/#\\w+)?)?$`,
  ),
];

/** What may be seen, beside the image and the machine's system. */
interface Known {
  /** A test that leaves its testbed is in the sandbox: the root folder that it reaches is the machine's. */
  canLeave: boolean;
  /** Paths of the sandbox, from its root folder. */
  sandbox: RegExp[];
  /** Paths of a testbed, from the testbed's root folder. */
  testbed: RegExp[];
}

const KNOWN: Record<string, Known> = {
  unshare: { canLeave: true, sandbox: [...SANDBOX, OWN_NETWORK, UNSHARE], testbed: TESTBED },
  schroot: { canLeave: true, sandbox: [...SANDBOX, OWN_NETWORK, ...SCHROOT], testbed: TESTBED },
  podman: { canLeave: false, sandbox: [], testbed: [...TESTBED, ...CONTAINER] },
  lxc: { canLeave: false, sandbox: [], testbed: [...TESTBED, ...BOOTED] },
  // A machine of its own has all kinds of devices.
  qemu: { canLeave: false, sandbox: [], testbed: [...TESTBED, ...BOOTED, /^\/dev\//] },
  // A test there is on the machine itself, and may not become root.
  null: { canLeave: false, sandbox: [], testbed: [] },
};

/** Paths of the machine itself. */
const SYSTEM = /^\/(bin|dev|etc|lib[^/]*|opt|sbin|sys|usr|var\/cache|var\/lib)(\/|$)/;

/** Whether a test that leaves a testbed of this backend sees the sandbox around it. */
export function canLeave(backend: string): boolean {
  return knownOf(backend).canLeave;
}

function knownOf(backend: string): Known {
  const origins = KNOWN[backend];
  if (!origins) throw new Error(`it is not known what a test in ${backend} may see`);
  return origins;
}

/**
 * The paths that are of none of these: the machine's system, the image, what Proctor and the test runner put there.
 * @param image its paths
 * @param isShown whether a path of the sandbox is of what it was shown
 */
export function strays(
  { paths, owned }: Sight,
  backend: string,
  image: Set<string>,
  isShown: (path: string) => boolean,
): string[] {
  const origins = knownOf(backend);
  const all = paths.map((path) => path.slice(1));
  const roots = testbedsIn(all).filter((root) => !origins.canLeave || root !== '');
  const isOf = (path: string, patterns: RegExp[]) => patterns.some((each) => each.test(path));
  return all.filter((path) => {
    const root = roots.find((each) => path === each || path.startsWith(`${each}/`));
    if (root === undefined)
      return !isOf(path, origins.sandbox) && !isShown(path) && !(SYSTEM.test(path) && isHere(path));
    const inside = path.slice(root.length) || '/';
    return inside !== '/' && !image.has(inside) && !owned.has(inside) && !isOf(inside, origins.testbed);
  });
}

/** The root folders of testbeds, also as far as they were changed. */
function testbedsIn(paths: string[]): string[] {
  const STATUS = '/var/lib/dpkg/status';
  const whole = paths.filter((path) => path.endsWith(STATUS)).map((path) => path.slice(0, -STATUS.length));
  return [...whole, ...paths.filter((path) => /\/union\/overlay\/[^/]+\/own\/upper$/.test(path))];
}

function isHere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
