import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { RunUser } from './run-user';
import { CLEAN_ENVIRONMENT, networkCommand } from './sandbox-command';

/** The user-mode network of one sandbox. It ends with the worker: the worker's end of its pipe closes. */
export class PrivateNetwork {
  private readonly ended: Promise<unknown>;

  private constructor(private readonly child: ChildProcess) {
    this.ended =
      child.exitCode === null && child.signalCode === null ? once(child, 'exit') : Promise.resolve();
  }

  /** Resolves when the network of the namespaces of `pid` is up. */
  static async start(user: RunUser, pid: number): Promise<PrivateNetwork> {
    const [program = '', ...args] = networkCommand(user, pid);
    const child = spawn(program, args, {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
      env: CLEAN_ENVIRONMENT,
      cwd: '/',
      detached: true,
    });
    await once(child, 'spawn');
    const complaint = text(child.stderr as Readable);
    const ready = once(child.stdio[3] as Socket, 'data').then(() => true);
    const network = new PrivateNetwork(child);
    const isUp = await Promise.race([ready, network.ended.then(() => false)]);
    if (!isUp) throw new Error(`slirp4netns: ${(await complaint).trim()}`);
    return network;
  }

  async stop(): Promise<void> {
    (this.child.stdio[4] as Socket).destroy();
    await this.ended;
  }
}
