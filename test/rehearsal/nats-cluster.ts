import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { NatsUsers, type WorkerUser } from '@proctor/bus';
import { findFreePort } from '@proctor/embedded';
import { Authority } from '../support/certificates';
import { inTime } from './app';
import { busOf, type Release } from './release';
import type { Stops } from './stops';

const READY_TIMEOUT_MS = 30_000;
const STREAM_BYTES_MAX = 16 * 1024 ** 4;

interface Node {
  name: string;
  port: number;
  routePort: number;
  monitorPort: number;
  process: ChildProcess | null;
}

export interface NatsPlan {
  binary: string;
  /** Nodes: 1 or 3. */
  size: number;
  /** What the accounts must allow. */
  release: Release;
  architectures: string[];
  /** Names, each with the address of this machine as the worker sees it. */
  workers: Map<string, string>;
}

/** nats-servers of one cluster, with TLS and an account for each worker. */
export class NatsCluster {
  private constructor(
    private readonly folder: string,
    private readonly plan: NatsPlan,
    private readonly nodes: Node[],
    readonly users: NatsUsers,
    private readonly authority: Authority,
  ) {}

  static async start(folder: string, plan: NatsPlan, stops: Stops): Promise<NatsCluster> {
    await mkdir(folder, { recursive: true });
    const authority = await Authority.make(folder, 'authority');
    const nodes: Node[] = [];
    for (let count = 1; count <= plan.size; count += 1)
      nodes.push({
        name: `n${count}`,
        ...{ port: await findFreePort(), routePort: await findFreePort(), monitorPort: await findFreePort() },
        process: null,
      });
    const cluster = new NatsCluster(folder, plan, nodes, new NatsUsers(join(folder, 'users')), authority);
    await cluster.makeUsers();
    await cluster.configure();
    await stops.start(
      () => cluster.run(nodes),
      () => cluster.stop(),
    );
    return cluster;
  }

  /** With their public keys, as they are to be registered. */
  readonly workers: WorkerUser[] = [];

  /** The URL of all nodes, as this machine reaches them. */
  get url(): string {
    return this.urlAt('127.0.0.1');
  }

  /** Variables of `proctor nats`. */
  get env(): NodeJS.ProcessEnv {
    return { PROCTOR_NATS_USERS: this.users.folder, PROCTOR_NATS_ACCOUNTS: this.accountsFile };
  }

  /** The file with the certificate of the authority. */
  get ca(): string {
    return this.authority.path;
  }

  get names(): string[] {
    return this.nodes.map(({ name }) => name);
  }

  async kill(name: string): Promise<void> {
    const node = this.node(name);
    const { process } = node;
    if (process === null || process.exitCode !== null || process.signalCode !== null) return;
    const exit = once(process, 'exit');
    process.kill('SIGKILL');
    await exit;
    node.process = null;
  }

  async restart(name: string): Promise<void> {
    await this.run([this.node(name)]);
  }

  async stop(): Promise<void> {
    await Promise.all(this.names.map((name) => this.kill(name)));
  }

  private node(name: string): Node {
    return this.nodes.find((node) => node.name === name)!;
  }

  private get accountsFile(): string {
    return join(this.folder, 'accounts.conf');
  }

  private urlAt(host: string): string {
    return this.nodes.map(({ port }) => `tls://${host}:${port}`).join(',');
  }

  private async makeUsers(): Promise<void> {
    const { users, authority } = this;
    const { workers, architectures } = this.plan;
    await users.prepare(this.url, authority.certificate);
    for (const [name, host] of workers) {
      const publicKey = await users.prepareUser(name, this.urlAt(host), authority.certificate);
      this.workers.push({ name, publicKey, architectures });
    }
  }

  private async configure(): Promise<void> {
    const { release, workers } = this.plan;
    const hosts = [...new Set(['127.0.0.1', ...workers.values()])].map((host) => `IP:${host}`);
    const { certificate, key } = await this.authority.sign('server', hosts.join(','));
    const users = new (await busOf(release)).NatsUsers(this.users.folder);
    await writeFile(this.accountsFile, await users.accountsText(this.workers));
    const routes = this.nodes.map(({ routePort }) => `nats://127.0.0.1:${routePort}`);
    for (const { name, port, routePort, monitorPort } of this.nodes) {
      const settings = {
        server_name: name,
        ...{ host: '0.0.0.0', port, http: `127.0.0.1:${monitorPort}` },
        tls: { cert_file: certificate, key_file: key, timeout: 10 },
        jetstream: { store_dir: join(this.folder, name), max_file_store: STREAM_BYTES_MAX },
        ...(this.nodes.length > 1 && {
          cluster: { name: 'proctor', listen: `127.0.0.1:${routePort}`, routes },
        }),
      };
      const lines = Object.entries(settings).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
      await writeFile(join(this.folder, `${name}.conf`), [...lines, 'include accounts.conf', ''].join('\n'));
    }
  }

  /** Resolves once JetStream can be asked for streams. */
  private async run(nodes: Node[]): Promise<void> {
    await Promise.all(nodes.map((node) => this.launch(node)));
    const ready = Promise.all(nodes.map((node) => answers(node)));
    await inTime(ready, READY_TIMEOUT_MS, `the nats-servers of ${this.folder} were not ready`);
  }

  private async launch(node: Node): Promise<void> {
    const log = await open(join(this.folder, `${node.name}.log`), 'a');
    const args = ['--config', join(this.folder, `${node.name}.conf`)];
    node.process = spawn(this.plan.binary, args, { stdio: ['ignore', log.fd, log.fd], detached: true });
    await log.close();
  }
}

async function answers({ monitorPort }: Node): Promise<void> {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${monitorPort}/healthz`).catch(() => null);
    if (answer?.ok) return;
    await pause(100);
  }
}
