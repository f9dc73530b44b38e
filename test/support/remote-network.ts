import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readlink } from 'node:fs/promises';
import { linkTo } from './cuttable-link';
import { until } from './until';

/** A network that a process of a test runs in, and the only way from there to one server of ours. */
export interface RemoteNetwork {
  /** The server's address as seen from there. */
  url: string;
  /** The words before the command of a process that should run in this network. */
  prefix: string[];
  cut(): Promise<void>;
  mend(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A network namespace behind a virtual cable: once the cable is cut, sent packets disappear. Only root can create one,
 * with `ip`; for other users the network is this machine's own, and the connection to the server goes through a link
 * that is cut.
 */
export async function remoteNetwork(serverUrl: string): Promise<RemoteNetwork> {
  return mayMakeCables() ? behindCable(serverUrl) : behindLink(serverUrl);
}

function mayMakeCables(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    ip('link', 'add', `pt${process.pid}`, 'type', 'dummy');
    ip('link', 'del', `pt${process.pid}`);
    return true;
  } catch {
    // No program `ip`, or a container that may not change its network: the link is there for both.
    return false;
  }
}

async function behindLink(serverUrl: string): Promise<RemoteNetwork> {
  const link = await linkTo(serverUrl);
  const cut = () => link.cut();
  const mend = () => link.mend();
  return { url: link.url, prefix: [], cut, mend, close: cut };
}

async function behindCable(serverUrl: string): Promise<RemoteNetwork> {
  const [here, there] = [`pt${process.pid}a`, `pt${process.pid}b`];
  const { near, far } = addresses(process.pid);
  const holder = await newNamespace();
  const prefix = ['nsenter', `--net=/proc/${holder.pid}/ns/net`];
  try {
    ip('link', 'add', here, 'type', 'veth', 'peer', 'name', there);
    ip('link', 'set', there, 'netns', String(holder.pid));
    ip('addr', 'add', `${near}/30`, 'dev', here);
    ip('link', 'set', here, 'up');
    const inside = (...args: string[]) => execFileSync(prefix[0]!, [...prefix.slice(1), 'ip', ...args]);
    inside('addr', 'add', `${far}/30`, 'dev', there);
    inside('link', 'set', there, 'up');
    inside('link', 'set', 'lo', 'up');
    const link = await linkTo(serverUrl, near);
    const close = async () => {
      await link.cut();
      await end(holder);
    };
    const set = (state: string) => Promise.resolve(ip('link', 'set', here, state));
    return { url: link.url, prefix, cut: () => set('down'), mend: () => set('up'), close };
  } catch (error) {
    await end(holder);
    throw error;
  }
}

/** A process whose network is its own; it ends when its standard input does, also when we are killed. */
async function newNamespace(): Promise<ChildProcess> {
  const holder = spawn('unshare', ['--net', 'cat'], { stdio: ['pipe', 'ignore', 'inherit'] });
  const own = await readlink('/proc/self/ns/net');
  const isThere = async () => (await readlink(`/proc/${holder.pid}/ns/net`).catch(() => own)) !== own;
  if (await until(isThere)) return holder;
  await end(holder);
  throw new Error('no network namespace was made');
}

/** The namespace goes with its last process, and the cable with it. */
async function end(holder: ChildProcess): Promise<void> {
  const exit = once(holder, 'exit');
  holder.stdin?.end();
  await exit;
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
