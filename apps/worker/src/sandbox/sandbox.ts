import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { PrivateNetwork } from './private-network';
import { childrenOf, identify, killProcess, type ProcessIdentity } from './processes';
import { RunCgroup } from './run-cgroup';
import type { RunFolder } from './run-folder';
import type { RunUser } from './run-user';
import { CLEAN_ENVIRONMENT, sandboxCommand, type SandboxNetwork } from './sandbox-command';

export interface SandboxUse {
  command: string[];
  network: SandboxNetwork;
  tmpfsBytes: number;
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
    exit: Promise<SandboxEnd>,
    network: PrivateNetwork | null,
    cgroup: RunCgroup | null,
  ) {
    this.ended = exit.then(async (end) => {
      await network?.stop();
      await cgroup?.remove();
      return end;
    });
  }

  /** Resolves when the command begins. */
  static async start(user: RunUser, folder: RunFolder, use: SandboxUse): Promise<Sandbox> {
    const cgroup = use.cgroup ? await RunCgroup.create(folder.name, user) : null;
    if (cgroup) await folder.recordCgroup(cgroup.path);
    const order = { ...use, workArea: folder.workArea, ...(cgroup && { joinCgroup: cgroup.join }) };
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
    return new Sandbox(init, exit, network, cgroup);
  }
}
