import type { RunAccount, RunUser, SubordinateIds } from './run-user';
import { TESTBED_NAME } from './testbed-name';

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
  /**
   * The command is root of a user namespace within the sandbox. A private network is its own then, where the machine allows it, and
   * is joined to the sandbox's.
   */
  asRoot?: boolean;
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
  /** Networks that it cannot reach, and addresses. */
  unreachable?: string[];
  /** The number of a network that was prepared for it, with the user namespace. */
  prepared?: number;
  /** The folder of a control group that it becomes a member of. */
  cgroup?: string;
  /** A file to which standard error is appended. */
  errors: string;
  /** Files that are standard input and output. */
  input?: string;
  output?: string;
}

/** The prefix of a command that makes it run as the run user and die with the worker. */
export function asRunUser({ uid, gid, switched }: RunAccount): string[] {
  const become = switched ? [`--reuid=${uid}`, `--regid=${gid}`, '--init-groups'] : [];
  return ['setpriv', ...become, '--pdeathsig=KILL', '--'];
}

/**
 * What the launcher is told of a sandbox: names and values, of which the last is the command. It gets user, process, mount
 * and IPC namespaces of its own. The user namespace maps the run user and its subordinate ids to themselves, so that
 * autopkgtest can map those ids once more.
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
    // The machine's own files know it by its own name alone.
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

/** A line of a sandbox's view of the machine's files: `-` covers what lies at the path, `+` shows it all the same. */
interface ViewRule {
  sign: '-' | '+';
  path: string;
}

/**
 * The lines of a view, parents first: the longest path that holds a file decides whether it is seen, and of equal ones
 * the one that covers it.
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
 * What the launcher is told of a network: the account that slirp4netns has, empty where it is the launcher's, and its command.
 * @param opensTun whether it may open the tun device there as an ordinary user
 */
export function networkFields({ name, uid, gid, switched, opensTun }: RunUser): string[] {
  const account = opensTun && switched ? [name, String(uid), String(gid)] : ['', '', ''];
  return [...account, ...networkCommand({ opensTun })];
}

/** What it is told of one that is prepared: its namespaces first, which are those that sandboxFields asks for. */
export function preparedFields(user: RunUser): string[] {
  const { name, uid, gid, subUids, subGids, switched } = user;
  const ids = [idMap(uid, subUids), idMap(gid, subGids)];
  return [switched ? '1' : '', name, String(uid), String(gid), ...ids, ...networkFields(user)];
}

/** slirp4netns, but for what the launcher adds: the descriptors by which it is ready and ends, and the process it is for. */
export function networkCommand(user: Pick<RunUser, 'opensTun'>): string[] {
  // Only root may open the tun device here: slirp4netns then locks itself up and drops root's capabilities.
  const lock = user.opensTun ? [] : ['--enable-sandbox'];
  return ['slirp4netns', '--configure', '--mtu=65520', '--disable-host-loopback', ...lock];
}
