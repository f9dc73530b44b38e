import type { RunAccount, RunUser, SubordinateIds } from './run-user';
import { TESTBED_NAME } from './testbed-name';

/** The environment of a run's processes: it has nothing of the worker's. */
export const CLEAN_ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LANG: 'C.UTF-8',
};

/** `private`: the run reaches the network but nothing on this machine's loopback. */
export type SandboxNetwork = 'private' | 'host';

export interface SandboxParts {
  command: string[];
  network: SandboxNetwork;
  /** The sandbox's own folder, which is always visible to it. */
  folder: string;
  /** An existing folder on which the sandbox mounts its own tmpfs: TMPDIR and HOME. */
  workArea: string;
  tmpfsBytes: number;
  /** Folders and files that no process in the sandbox can see, even a test that left its testbed. */
  hidden?: string[];
  /** Paths that are visible although they are in a hidden folder or no part of the system. */
  visible?: string[];
  /**
   * The command is root of a user namespace within the sandbox. A private network is then its own, where the machine
   * allows it, and is connected to that of the sandbox.
   */
  asRoot?: boolean;
  /** All that is not hidden is visible, even if it is no part of the system; files outside can be changed. */
  wholeMachine?: boolean;
  /** Processes and threads; before Linux 5.14 counted over all sandboxes of the run user. */
  processesMax?: number;
  /** Private memory of each process. */
  processBytesMax?: number;
  /**
   * Interpreters of foreign programs, as lines of binfmt_misc's `register` file. They exist in this sandbox only; the
   * worker must run as root for that.
   */
  interpreters?: string[];
  /** Networks and addresses that it cannot reach. */
  unreachable?: string[];
  /** The number of a prepared network, which has the user namespace too. */
  prepared?: number;
  /** The folder of the control group that it joins. */
  cgroup?: string;
  /** A file to which standard error is appended. */
  errors: string;
  /** Files for standard input and output. */
  input?: string;
  output?: string;
}

/** The prefix of a command that makes it run as the run user and die with the worker. */
export function asRunUser({ uid, gid, switched }: RunAccount): string[] {
  const become = switched ? [`--reuid=${uid}`, `--regid=${gid}`, '--init-groups'] : [];
  return ['setpriv', ...become, '--pdeathsig=KILL', '--'];
}

/**
 * The description of a sandbox for the launcher: names and values, the command last. The sandbox gets user, process,
 * mount and IPC namespaces of its own. The user namespace maps the run user and its subordinate ids to themselves, so
 * that autopkgtest can map those ids once more.
 */
export function sandboxFields(user: RunUser, parts: SandboxParts): string[] {
  const { name, uid, gid, subUids, subGids, switched } = user;
  const fields: [string, string | number][] = [
    ['cgroup', parts.cgroup ?? ''],
    ['errors', parts.errors],
    ['input', parts.input ?? '/dev/null'],
    ['output', parts.output ?? '/dev/null'],
    ['interpreters', (parts.interpreters ?? []).join('\n')],
    ['switched', switched ? 1 : ''],
    ['name', name],
    ['uid', uid],
    ['gid', gid],
    ['uids', idMap(uid, subUids)],
    ['gids', idMap(gid, subGids)],
    ['network', parts.network],
    ['prepared', parts.prepared ?? ''],
    ['as_root', parts.asRoot ? 1 : ''],
    // The machine's own files use only the machine's own name.
    ['host_name', parts.wholeMachine ? '' : TESTBED_NAME],
    ['unreachable', (parts.unreachable ?? []).join('\n')],
    ['processes_max', parts.processesMax ?? ''],
    ['process_bytes_max', parts.processBytesMax ?? ''],
    ['area', parts.workArea],
    ['bytes', parts.tmpfsBytes],
    ['folder', parts.folder],
    ['surroundings', parts.wholeMachine ? 'machine' : 'own'],
    ['view', viewLines(parts.hidden ?? [], parts.visible ?? [])],
  ];
  return [...fields.flatMap(([field, value]) => [field, String(value)]), 'command', ...parts.command];
}

/** Lines of user_namespaces(7). */
function idMap(id: number, { start, count }: SubordinateIds): string {
  return `${id} ${id} 1\n${start} ${start} ${count}`;
}

/** A line of a sandbox's view of the machine's files: `-` hides a path, `+` shows it all the same. */
interface ViewRule {
  sign: '-' | '+';
  path: string;
}

/**
 * The lines of a view, parents first. The longest path that contains a file decides whether the file is visible; if a
 * path is both hidden and visible, it is hidden.
 */
function viewLines(hidden: string[], visible: string[]): string {
  const rules: ViewRule[] = [
    ...visible.map((path) => ({ sign: '+' as const, path })),
    ...hidden.map((path) => ({ sign: '-' as const, path })),
  ];
  const depth = ({ path }: ViewRule) => path.split('/').length;
  return rules
    .sort((one, other) => depth(one) - depth(other))
    .map(({ sign, path }) => `${sign} ${path}`)
    .join('\n');
}

/**
 * The description of a network for the launcher: the account for slirp4netns, empty if it is the launcher's own, and
 * its command.
 * @param opensTun whether it may open the tun device there as an ordinary user
 */
export function networkFields({ name, uid, gid, switched, opensTun }: RunUser): string[] {
  const account = opensTun && switched ? [name, String(uid), String(gid)] : ['', '', ''];
  return [...account, ...networkCommand({ opensTun })];
}

/** The description of a prepared network: its namespaces first, the same ones as in sandboxFields. */
export function preparedFields(user: RunUser): string[] {
  const { name, uid, gid, subUids, subGids, switched } = user;
  const ids = [idMap(uid, subUids), idMap(gid, subGids)];
  return [switched ? '1' : '', name, String(uid), String(gid), ...ids, ...networkFields(user)];
}

/**
 * The slirp4netns command. The launcher adds the descriptors by which it is ready and ends, and the process that it
 * serves.
 */
export function networkCommand(user: Pick<RunUser, 'opensTun'>): string[] {
  // Only root may open the tun device here; slirp4netns then restricts itself and drops root's capabilities.
  const lock = user.opensTun ? [] : ['--enable-sandbox'];
  return ['slirp4netns', '--configure', '--mtu=65520', '--disable-host-loopback', ...lock];
}
