import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freeBytesOf } from './free-space';
import { PrivateNetwork } from './private-network';
import { identify, killProcess, type SandboxProcess } from './processes';
import type { ControlGroups } from './control-groups';
import { machineMemoryKills, type MemoryKills } from './memory-kills';
import type { RunCgroup } from './run-cgroup';
import type { RunFolder } from './run-folder';
import type { RunUser } from './run-user';
import { CLEAN_ENVIRONMENT, sandboxCommand, type SandboxNetwork, type SandboxParts } from './sandbox-command';

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
  /** It sees the rest of the machine's files too. */
  wholeMachine?: boolean;
  interpreters?: string[];
  /** Open file descriptors of the command's standard input and output; nothing by default. */
  input?: number;
  output?: number;
}

/** How the command ended; `code` is null when the sandbox was killed. A code above 128 is a signal's number plus 128. */
export interface SandboxEnd {
  code: number | null;
}

/**
 * A running command with its own processes, mounts and network. When it ends or is killed, no process, mount or
 * temporary file of it is left; it is also killed when the worker dies.
 */
export class Sandbox {
  readonly ended: Promise<SandboxEnd>;

  private constructor(
    private readonly init: SandboxProcess | null,
    private readonly workArea: string,
    exit: Promise<SandboxEnd>,
    network: PrivateNetwork | null,
    private readonly cgroup: RunCgroup | null,
  ) {
    this.ended = exit.then(async (end) => {
      await network?.stop();
      await cgroup?.remove();
      return end;
    });
  }

  /**
   * Resolves when the command begins.
   * @param groups null: it gets no control group
   */
  static async start(
    user: RunUser,
    folder: RunFolder,
    use: SandboxUse,
    groups: ControlGroups | null,
  ): Promise<Sandbox> {
    const cgroup = await cgroupFor(groups, folder, user, use);
    try {
      return await Sandbox.launch(user, folder, use, cgroup);
    } catch (error) {
      await cgroup?.remove();
      throw error;
    }
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
    return (await this.cgroup?.memoryKills()) ?? (await machineMemoryKills());
  }

  /** Ends everything at once; resolves when nothing is left. */
  async kill(): Promise<void> {
    if (this.init) await killProcess(this.init);
    await this.ended;
  }

  private static async launch(
    user: RunUser,
    folder: RunFolder,
    use: SandboxUse,
    cgroup: RunCgroup | null,
  ): Promise<Sandbox> {
    const [program = '', ...args] = sandboxCommand(user, partsOf(folder, use, cgroup));
    const errors = await open(folder.errors, 'a');
    const child = spawn(program, args, {
      stdio: [use.input ?? 'ignore', use.output ?? 'ignore', errors.fd, 'pipe'],
      env: CLEAN_ENVIRONMENT,
      cwd: '/',
      // Ctrl-C in the worker's terminal is the worker's affair.
      detached: true,
    });
    await once(child, 'spawn').finally(() => errors.close());
    const exit = once(child, 'exit').then(([code]) => ({ code: code as number | null }));
    try {
      return await Sandbox.begin(child, exit, user, folder, use, cgroup);
    } catch (error) {
      child.kill('SIGKILL');
      await exit;
      throw error;
    }
  }

  private static async begin(
    child: ChildProcess,
    exit: Promise<SandboxEnd>,
    user: RunUser,
    folder: RunFolder,
    use: SandboxUse,
    cgroup: RunCgroup | null,
  ): Promise<Sandbox> {
    const outer = child.pid as number;
    const control = child.stdio[3] as Socket;
    // It breaks when the sandbox is killed before it has read that it may go on. What became of it, its exit tells.
    control.on('error', () => undefined);
    const line = linesOf(control, exit);
    const inner = Number(await line());
    const [init, outermost] = await Promise.all([identify(inner), identify(outer)]);
    await folder.record([init, outermost].filter((identity) => identity !== null));
    // Both need the namespaces alone.
    const [isReady, network] = await Promise.allSettled([
      line(),
      use.network === 'private' ? PrivateNetwork.start(user, outer) : null,
    ]);
    if (isReady.status === 'rejected' || network.status === 'rejected') {
      if (network.status === 'fulfilled') await network.value?.stop();
      throw (isReady.status === 'rejected' ? isReady : (network as PromiseRejectedResult)).reason;
    }
    control.end('go\n');
    return new Sandbox(init, folder.workArea, exit, network.value, cgroup);
  }
}

/** Resolves with the next line of a sandbox's first process; rejects when the sandbox has ended before. */
function linesOf(control: Socket, exit: Promise<SandboxEnd>): () => Promise<string> {
  const lines = createInterface({ input: control })[Symbol.asyncIterator]();
  const ended = exit.then(({ code }) => {
    throw new Error(`the sandbox ended at once (exit code ${code})`);
  });
  ended.catch(() => undefined);
  return async () => {
    const next: IteratorResult<string, unknown> = await Promise.race([lines.next(), ended]);
    return next.done ? ended : next.value;
  };
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
  await cgroup.make(user, use);
  return cgroup;
}

/** What the control group does not limit, limits of processes do. */
function partsOf(folder: RunFolder, use: SandboxUse, cgroup: RunCgroup | null): SandboxParts {
  const { command, network, tmpfsBytes, hidden, visible, wholeMachine } = use;
  const { interpreters, memoryBytesMax, processesMax } = use;
  return {
    command,
    network,
    tmpfsBytes,
    folder: folder.path,
    workArea: folder.workArea,
    ...(hidden && { hidden }),
    ...(visible && { visible }),
    ...(wholeMachine && { wholeMachine }),
    ...(interpreters && { interpreters }),
    ...(memoryBytesMax !== undefined && !cgroup?.limitsMemory && { processBytesMax: memoryBytesMax }),
    ...(processesMax !== undefined && !cgroup?.limitsProcesses && { processesMax }),
    ...(cgroup && { joinCgroup: cgroup.join }),
  };
}
