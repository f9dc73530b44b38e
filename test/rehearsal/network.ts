import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readlink } from 'node:fs/promises';
import { until } from '../support/until';
import type { Stops } from './stops';

/** A network namespace behind a virtual cable, from which this machine is reached at one address. Only root may make one. */
export class Network {
  private constructor(
    private readonly holder: ChildProcess,
    /** This machine, as seen from there. */
    readonly host: string,
  ) {}

  /** @param number distinguishes it from the others of this process */
  static async make(number: number, stops: Stops): Promise<Network> {
    const holder = spawn('unshare', ['--net', 'cat'], {
      stdio: ['pipe', 'ignore', 'inherit'],
      detached: true,
    });
    const own = await readlink('/proc/self/ns/net');
    const isThere = async () => (await readlink(`/proc/${holder.pid}/ns/net`).catch(() => own)) !== own;
    const [here, there] = [`pr${process.pid}n${number}`, `pr${process.pid}m${number}`];
    const { near, far } = addresses(process.pid * 4 + number);
    const network = new Network(holder, near);
    stops.add(() => network.remove());
    if (!(await until(isThere, 10_000))) throw new Error('no network namespace was made: is this root?');
    ip('link', 'add', here, 'type', 'veth', 'peer', 'name', there);
    ip('link', 'set', there, 'netns', String(holder.pid));
    ip('addr', 'add', `${near}/30`, 'dev', here);
    ip('link', 'set', here, 'up');
    const inside = (...args: string[]) =>
      execFileSync(network.prefix[0]!, [...network.prefix.slice(1), 'ip', ...args], { stdio: 'pipe' });
    inside('addr', 'add', `${far}/30`, 'dev', there);
    inside('link', 'set', there, 'up');
    inside('link', 'set', 'lo', 'up');
    return network;
  }

  /** Put before the command of a process that belongs there. */
  get prefix(): string[] {
    return ['nsenter', `--net=/proc/${this.holder.pid}/ns/net`];
  }

  /** It goes with its last process, and the cable with it. */
  private async remove(): Promise<void> {
    if (this.holder.exitCode !== null || this.holder.signalCode !== null) return;
    const exit = once(this.holder, 'exit');
    this.holder.stdin?.end();
    await exit;
  }
}

function ip(...args: string[]): void {
  execFileSync('ip', args, { stdio: 'pipe' });
}

/** The two of a network of their own, in the range that is set aside for tests of networks. */
function addresses(seed: number): { near: string; far: string } {
  const first = (seed % 16_384) * 4;
  const [third, fourth] = [first >> 8, first & 255];
  return { near: `198.18.${third}.${fourth + 1}`, far: `198.18.${third}.${fourth + 2}` };
}
