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

/** What is said of a process, or a mount of it, that has ended. */
const GONE = new Set(['ENOENT', 'ESRCH', 'EACCES']);

export interface SandboxUse {
  command: string[];
  network: SandboxNetwork;
  tmpfsBytes: number;
  /** Memory of all its processes and files; of each process alone where no control group can limit it. */
  memoryBytesMax?: number;
  /** Its processes and threads. */
  processesMax?: number;
  /** Paths that it must not see, and those within them that it must. */
  hidden?: string[];
  visible?: string[];
  /** The command is root of a user namespace within, and of a network of its own where it is private and the machine allows it. */
  asRoot?: boolean;
  /** It sees the rest of the machine's files too. */
  wholeMachine?: boolean;
  interpreters?: string[];
  /** Networks that its private network does not lead to, and addresses. */
  unreachable?: string[];
  /** Open file descriptors of the command's standard input and output; nothing by default. */
  input?: number;
  output?: number;
}

/** Of one argument of a program, the NUL behind it included: execve(2). */
const ARGUMENT_BYTES_MAX = 128 * 1024;

/**
 * A running command with its own processes, mounts and network. When it ends or is killed, no process, mount or
 * temporary file of it is left; it is also killed when the worker dies.
 */
export class Sandbox {
  readonly ended: Promise<SandboxEnd>;

  private constructor(
    private readonly init: SandboxProcess | null,
    private readonly workArea: string,
    private readonly launched: LaunchedSandbox,
    network: LaunchedNetwork | null,
    private readonly cgroup: RunCgroup | null,
  ) {
    this.ended = launched.ended.then(async (end) => {
      await network?.stop();
      await cgroup?.remove();
      return end;
    });
  }

  /**
   * Resolves when the command begins.
   * @param groups null: it gets no control group
   * @param prepared a network that is up; the sandbox makes its own when null
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

  /** Why root of its testbed has no network of its own; null: it has one, or none was asked for. */
  get sharesNetwork(): Promise<string | null> {
    return this.launched.sharesNetwork;
  }

  /** Bytes that are free in its work area; null once it has ended. */
  async freeBytes(): Promise<number | null> {
    if (!this.init) return null;
    const inside = join('/proc', String(this.init.pid), 'root', this.workArea);
    return freeBytesOf(inside).catch((error: NodeJS.ErrnoException) => {
      if (GONE.has(error.code ?? '')) return null;
      throw error;
    });
  }

  /** Processes that the kernel has ended for lack of memory: this sandbox's where that can be told, else the machine's. */
  async memoryKills(): Promise<MemoryKills> {
    return this.cgroup?.memoryKills() ?? (await machineMemoryKills());
  }

  /** Those of its processes that wait for the other end of a named pipe. */
  async waitingForPipes(): Promise<WaitingProcess[]> {
    return this.init ? processesWaitingForPipes(this.init.pid) : [];
  }

  /** Ends everything at once; resolves when nothing is left. */
  async kill(): Promise<void> {
    if (this.init) await killProcess(this.init);
    await this.ended;
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
      // All three need the namespaces alone.
      if (use.network === 'private') network ??= launched.connect(networkFields(networkUser(user, use)));
      await Promise.all([network?.connected, folder.record(init ? [init] : [])]);
      // It hears that once its view is made.
      launched.startCommand();
      await launched.ready;
      return new Sandbox(init, folder.workArea, launched, network, cgroup);
    } catch (error) {
      launched.kill();
      await Promise.all([launched.ended, network?.stop()]);
      throw error;
    }
  }
}

/** What a sandbox is launched with. */
interface Launch {
  launcher: Launcher;
  user: RunUser;
  folder: RunFolder;
  use: SandboxUse;
  cgroup: RunCgroup | null;
  prepared: LaunchedNetwork | null;
}

/** Interpreters are registered in a user namespace of root's around that of the run user, which it may not enter. */
function networkUser(user: RunUser, { interpreters = [] }: SandboxUse): RunUser {
  return interpreters.length > 0 ? { ...user, opensTun: false } : user;
}

/** @throws Error with the code E2BIG, as of a program that is started with too long an argument */
function checkArguments(command: string[]): void {
  if (command.some((argument) => argument.includes('\0'))) throw new Error('an argument has a NUL character');
  if (command.every((argument) => Buffer.byteLength(argument) < ARGUMENT_BYTES_MAX)) return;
  throw Object.assign(new Error('an argument of the command is too long'), { code: 'E2BIG' });
}

/** One of its own, so that it sees none of another run; null where this machine can give none. */
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

/** What the control group does not limit, limits of processes do. */
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

/** An open file of this process, as another one finds it. */
function ownFile(descriptor: number): string {
  return `/proc/${process.pid}/fd/${descriptor}`;
}
