import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { freeBytesOf } from '../machine/free-space';
import { PrivateNetwork } from './private-network';
import { childrenOf, identify, killProcess, type ProcessIdentity } from './processes';
import { machineMemoryKills } from './memory-kills';
import { RunCgroup } from './run-cgroup';
import type { RunFolder } from './run-folder';
import type { RunUser } from './run-user';
import { CLEAN_ENVIRONMENT, sandboxCommand, type SandboxNetwork } from './sandbox-command';

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
  /** Paths that it must not see. */
  hidden?: string[];
  interpreters?: string[];
  /** It gets a control group that belongs to the run user, where this machine can give one. */
  cgroup?: boolean;
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
    private readonly init: ProcessIdentity | null,
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

  /** Resolves when the command begins. */
  static async start(user: RunUser, folder: RunFolder, use: SandboxUse): Promise<Sandbox> {
    const cgroup = await cgroupFor(folder, user, use);
    if (cgroup) await folder.recordCgroup(cgroup.path);
    const { memoryBytesMax, ...rest } = use;
    const order = {
      ...rest,
      folder: folder.path,
      workArea: folder.workArea,
      ...(memoryBytesMax !== undefined && !cgroup?.limitsMemory && { processBytesMax: memoryBytesMax }),
      ...(cgroup && { joinCgroup: cgroup.join }),
    };
    const [program = '', ...args] = sandboxCommand(user, order);
    const errors = await open(folder.errors, 'a');
    const child = spawn(program, args, {
      stdio: [use.input ?? 'ignore', use.output ?? 'ignore', errors.fd, 'pipe'],
      env: CLEAN_ENVIRONMENT,
      cwd: '/',
      // Ctrl-C in the worker's terminal is the worker's affair.
      detached: true,
    });
    await Promise.all([once(child, 'spawn'), errors.close()]);
    const exit = once(child, 'exit').then(([code]) => ({ code: code as number | null }));
    try {
      return await Sandbox.begin(child, exit, user, folder, use, cgroup);
    } catch (error) {
      child.kill('SIGKILL');
      await exit;
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

  /** Processes that the kernel has ended for want of memory: this sandbox's where that can be told, else the machine's. */
  async memoryKills(): Promise<number> {
    return (await this.cgroup?.memoryKills()) ?? (await machineMemoryKills());
  }

  /** Ends everything at once; resolves when nothing is left. */
  async kill(): Promise<void> {
    if (this.init) await killProcess(this.init);
    await this.ended;
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
    const isReady = await Promise.race([once(control, 'data').then(() => true), exit.then(() => false)]);
    if (!isReady) throw new Error(`the sandbox ended at once (exit code ${(await exit).code})`);
    const [inner] = await childrenOf(outer);
    const init = inner === undefined ? null : await identify(inner);
    const outermost = await identify(outer);
    await folder.record([init, outermost].filter((identity) => identity !== null));
    const network = use.network === 'private' ? await PrivateNetwork.start(user, outer) : null;
    control.end('go\n');
    return new Sandbox(init, folder.workArea, exit, network, cgroup);
  }
}

/** One that limits what it can; one for the command's own use where it was asked for; else none. */
async function cgroupFor(folder: RunFolder, user: RunUser, use: SandboxUse): Promise<RunCgroup | null> {
  const { memoryBytesMax, processesMax } = use;
  const limits = { ...(memoryBytesMax && { memoryBytesMax }), ...(processesMax && { processesMax }) };
  const isLimited = Object.keys(limits).length > 0;
  if (!use.cgroup && !isLimited) return null;
  const cgroup = await RunCgroup.create(folder.name, user, limits);
  if (use.cgroup || !cgroup || cgroup.limitsMemory || cgroup.limitsProcesses) return cgroup;
  await cgroup.remove();
  return null;
}
