import type { RunAccount, RunUser } from './run-user';
import { INIT, sightLines } from './sandbox-init';

/** What a process of a run sees of the worker's environment: nothing. */
export const CLEAN_ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LANG: 'C.UTF-8',
};

/** `private`: the run reaches the network but nothing on this machine's loopback. */
export type SandboxNetwork = 'private' | 'host';

export interface SandboxParts {
  command: string[];
  network: SandboxNetwork;
  /** The sandbox's own folder, which stays visible to it wherever it lies. */
  folder: string;
  /** A folder that exists; a tmpfs of the sandbox's own is mounted on it: TMPDIR and HOME. */
  workArea: string;
  tmpfsBytes: number;
  /** Folders and files that nothing in the sandbox can see, not even a test that left its testbed. */
  hidden?: string[];
  /** Those that are seen all the same, though they lie in a hidden one or are no part of the system. */
  visible?: string[];
  /** What is not hidden is seen, also where it is no part of the system; files outside can be changed. */
  wholeMachine?: boolean;
  /** Processes and threads; before Linux 5.14 counted over all that the run user has in sandboxes. */
  processesMax?: number;
  /** Private memory of each process. */
  processBytesMax?: number;
  /**
   * Interpreters of foreign programs, as lines of binfmt_misc's `register` file. They exist in this sandbox only, and
   * only a worker run by root can give a sandbox its own.
   */
  interpreters?: string[];
  /** A prefix that every other part of the command is run by, as the worker itself. */
  joinCgroup?: string[];
}

/** The prefix of a command that makes it run as the run user and die with the worker. */
export function asRunUser({ uid, gid, switched }: RunAccount): string[] {
  const become = switched ? [`--reuid=${uid}`, `--regid=${gid}`, '--init-groups'] : [];
  return ['setpriv', ...become, '--pdeathsig=KILL', '--'];
}

/**
 * The command of a sandbox: own user, process, mount and IPC namespaces. The user namespace maps the run user and its
 * subordinate ids to themselves, so that autopkgtest can map those ids once more.
 */
export function sandboxCommand(user: RunUser, parts: SandboxParts): string[] {
  const { uid, gid, subUids, subGids } = user;
  return [
    ...(parts.joinCgroup ?? []),
    ...withInterpreters(parts.interpreters ?? []),
    ...asRunUser(user),
    'unshare',
    '--user',
    `--map-user=${uid}`,
    `--map-group=${gid}`,
    `--map-users=${subUids.start},${subUids.start},${subUids.count}`,
    `--map-groups=${subGids.start},${subGids.start},${subGids.count}`,
    '--keep-caps',
    '--pid',
    '--fork',
    '--kill-child=SIGKILL',
    '--mount',
    '--ipc',
    ...(parts.network === 'private' ? ['--net'] : []),
    '--',
    ...limits(parts),
    'perl',
    '-e',
    INIT,
    '--',
    parts.workArea,
    String(parts.tmpfsBytes),
    parts.network,
    parts.folder,
    parts.wholeMachine ? 'machine' : 'own',
    sightLines(parts.hidden ?? [], parts.visible ?? []),
    ...parts.command,
  ];
}

/**
 * Limits of setrlimit(2), which hold for all namespaces and users within the sandbox. They are set within its user
 * namespace: Linux counts the processes of each by itself, and a limit from outside would bound all sandboxes together.
 */
function limits({ processesMax, processBytesMax }: SandboxParts): string[] {
  const options = [
    ...(processesMax === undefined ? [] : [`--nproc=${processesMax}`]),
    ...(processBytesMax === undefined ? [] : [`--data=${processBytesMax}`]),
  ];
  return options.length === 0 ? [] : ['prlimit', ...options];
}

/**
 * A user namespace that maps every id to itself, with a binfmt_misc of its own: the kernel looks for interpreters there
 * also for the namespaces within. The maps are written from outside, by a child that ends before the command begins.
 */
const REGISTER = `
set -e
lines=$1
shift
outside=$(readlink /proc/$$/ns/user)
(
  while [ "$(readlink /proc/$$/ns/user)" = "$outside" ]; do sleep 0.01; done
  echo '0 0 4294967295' >/proc/$$/gid_map
  echo '0 0 4294967295' >/proc/$$/uid_map
) 3>&- &
exec unshare --user --mount -- sh -c '
set -e
until grep -q . /proc/self/uid_map; do sleep 0.01; done
mount -t binfmt_misc proctor /proc/sys/fs/binfmt_misc
printf "%s\\n" "$0" | while read -r line; do printf %s "$line" >/proc/sys/fs/binfmt_misc/register; done
exec "$@"
' "$lines" "$@"
`;

function withInterpreters(lines: string[]): string[] {
  return lines.length === 0 ? [] : ['sh', '-c', REGISTER, 'proctor-interpreters', lines.join('\n')];
}

/** File descriptors 3 and 4: it writes to the first when the network is up, and ends when the second is closed. */
export function networkCommand(user: RunUser, pid: number): string[] {
  const prefix = user.opensTun ? asRunUser(user) : [];
  // Only root may open the tun device here: slirp4netns then locks itself up and drops root's capabilities.
  const lock = user.opensTun ? [] : ['--enable-sandbox'];
  return [
    ...prefix,
    'slirp4netns',
    '--configure',
    '--mtu=65520',
    '--disable-host-loopback',
    ...lock,
    '--ready-fd=3',
    '--exit-fd=4',
    String(pid),
    'tap0',
  ];
}
