import { join } from 'node:path';
import { freeBytesOf } from './free-space';
import type { ControlGroups } from './control-groups';
import type { LaunchedNetwork, LaunchedSandbox, Launcher, SandboxEnd } from './launcher';
import { machineMemoryKills, type MemoryKills } from './memory-kills';
import { identify, killProcess, type SandboxProcess } from './processes';
import type { RunCgroup } from './run-cgroup';
import type { RunFolder } from './run-folder';
import type { RunUser } from './run-user';
import { processesWaitingForPipes, type WaitingProcess } from './waiting-processes';
import { networkFields, sandboxFields, type SandboxNetwork, type SandboxParts } from './sandbox-command';

/** Errors of a process, or its mount, that has ended. */
const GONE = new Set(['ENOENT', 'ESRCH', 'EACCES']);

export interface SandboxUse {
  command: string[];
  network: SandboxNetwork;
  tmpfsBytes: number;
  /** Limit of the memory of all processes and files together; without a control group, of each process. */
  memoryBytesMax?: number;
  /** Processes and threads. */
  processesMax?: number;
  /** Paths that it must not see, and paths within them that it must. */
  hidden?: string[];
  visible?: string[];
  /**
   * The command is root of a user namespace, and of a network of its own if that is private and the machine allows it.
   */
  asRoot?: boolean;
  /** It also sees the rest of the machine's files. */
  wholeMachine?: boolean;
  interpreters?: string[];
  /** Networks and addresses that its private network cannot reach. */
  unreachable?: string[];
  /** Open file descriptors for the command's standard input and output; none by default. */
  input?: number;
  output?: number;
}

/** Most bytes of one argument of a program with its NUL: execve(2). */
const ARGUMENT_BYTES_MAX = 128 * 1024;

/**
 * A running command with its own processes, mounts and network. When it ends or is killed, none of its processes,
 * mounts or temporary files is left; it is also killed when the worker dies.
 */
export class Sandbox {
  readonly ending: Promise<SandboxEnd>;

  private constructor(
    private readonly init: SandboxProcess | null,
    private readonly workArea: string,
    private readonly launched: LaunchedSandbox,
    network: LaunchedNetwork | null,
    private readonly cgroup: RunCgroup | null,
  ) {
    this.ending = launched.ending.then(async (end) => {
      await network?.stop();
      await cgroup?.remove();
      return end;
    });
  }

  /**
   * Resolves when the command starts.
   * @param groups null: no control group
   * @param prepared a network that is up; null: the sandbox connects its own
   */
  static async start(
    launcher: Launcher,
    user: RunUser,
    folder: RunFolder,
    use: SandboxUse,
    groups: ControlGroups | null,
    prepared: LaunchedNetwork | null = null,
  ): Promise<Sandbox> {
    const cgroup = await cgroupFor(groups, folder, user, use);
    try {
      return await Sandbox.launch({ launcher, user, folder, use, cgroup, prepared });
    } catch (error) {
      await prepared?.stop();
      await cgroup?.remove();
      throw error;
    }
  }

  /** Why root of its testbed has no network of its own; null: it has one, or none was requested. */
  get sharesNetwork(): Promise<string | null> {
    return this.launched.sharesNetwork;
  }

  /** Free bytes in its work area; null once it has ended. */
  async freeBytes(): Promise<number | null> {
    if (!this.init) return null;
    const inside = join('/proc', String(this.init.pid), 'root', this.workArea);
    return freeBytesOf(inside).catch((error: NodeJS.ErrnoException) => {
      if (GONE.has(error.code ?? '')) return null;
      throw error;
    });
  }

  /**
   * Counts the processes that the kernel ended for lack of memory: in this sandbox if that is counted, else on the
   * machine.
   */
  async memoryKills(): Promise<MemoryKills> {
    return this.cgroup?.memoryKills() ?? (await machineMemoryKills());
  }

  /** Its processes that wait for the other end of a named pipe. */
  async waitingForPipes(): Promise<WaitingProcess[]> {
    return this.init ? processesWaitingForPipes(this.init.pid) : [];
  }

  /** Ends all its processes at once; resolves when nothing is left. */
  async kill(): Promise<void> {
    if (this.init) await killProcess(this.init);
    await this.ending;
  }

  private static async launch({ launcher, user, folder, use, cgroup, prepared }: Launch): Promise<Sandbox> {
    const parts = partsOf(folder, use, cgroup);
    checkArguments(parts.command);
    const number = prepared?.number ?? undefined;
    const withNetwork = number === undefined ? parts : { ...parts, prepared: number };
    const launched = launcher.launch(sandboxFields(user, withNetwork));
    let network = prepared;
    try {
      const init = identify(await launched.pid);
      // These three need only the namespaces.
      if (use.network === 'private') network ??= launched.connect(networkFields(networkUser(user, use)));
      await Promise.all([network?.connected, folder.record(init ? [init] : [])]);
      // It starts the command once its view of the files is ready.
      launched.startCommand();
      await launched.ready;
      return new Sandbox(init, folder.workArea, launched, network, cgroup);
    } catch (error) {
      launched.kill();
      await Promise.all([launched.ending, network?.stop()]);
      throw error;
    }
  }
}

interface Launch {
  launcher: Launcher;
  user: RunUser;
  folder: RunFolder;
  use: SandboxUse;
  cgroup: RunCgroup | null;
  prepared: LaunchedNetwork | null;
}

/**
 * Interpreters are registered in a user namespace of root, around that of the run user, which the run user may not
 * enter.
 */
function networkUser(user: RunUser, { interpreters = [] }: SandboxUse): RunUser {
  return interpreters.length > 0 ? { ...user, opensTun: false } : user;
}

/** @throws Error with the code E2BIG, as when a program is started with too long an argument */
function checkArguments(command: string[]): void {
  if (command.some((argument) => argument.includes('\0'))) throw new Error('an argument has a NUL character');
  if (command.every((argument) => Buffer.byteLength(argument) < ARGUMENT_BYTES_MAX)) return;
  throw Object.assign(new Error('an argument of the command is too long'), { code: 'E2BIG' });
}

/** A control group of its own, so that it sees no other run; null where the machine has none. */
async function cgroupFor(
  groups: ControlGroups | null,
  folder: RunFolder,
  user: RunUser,
  use: SandboxUse,
): Promise<RunCgroup | null> {
  if (!groups) return null;
  const cgroup = groups.groupOf(folder.name);
  await folder.recordCgroup(cgroup.path);
  await cgroup.create(user, use);
  return cgroup;
}

/** Limits of processes replace those that the control group cannot have. */
function partsOf(folder: RunFolder, use: SandboxUse, cgroup: RunCgroup | null): SandboxParts {
  const { command, network, tmpfsBytes, hidden, visible, asRoot, wholeMachine } = use;
  const { interpreters, unreachable, memoryBytesMax, processesMax } = use;
  return {
    command,
    network,
    tmpfsBytes,
    folder: folder.path,
    workArea: folder.workArea,
    errors: folder.errors,
    ...(use.input !== undefined && { input: ownFile(use.input) }),
    ...(use.output !== undefined && { output: ownFile(use.output) }),
    ...(hidden && { hidden }),
    ...(visible && { visible }),
    ...(asRoot && { asRoot }),
    ...(wholeMachine && { wholeMachine }),
    ...(interpreters && { interpreters }),
    ...(unreachable && { unreachable }),
    ...(memoryBytesMax !== undefined && !cgroup?.limitsMemory && { processBytesMax: memoryBytesMax }),
    ...(processesMax !== undefined && !cgroup?.limitsProcesses && { processesMax }),
    ...(cgroup && { cgroup: cgroup.path }),
  };
}

/** The path of an open file of this process, for another process. */
function ownFile(descriptor: number): string {
  return `/proc/${process.pid}/fd/${descriptor}`;
}
