import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findNatsServer, findFreePort, Home } from '@proctor/embedded';
import { hostArchitecture } from '../support/host-architecture';
import { registerWorkers } from '../support/worker-register';
import { App } from './app';
import { writeConfiguration } from './configuration';
import { Databases } from './databases';
import { NatsCluster } from './nats-cluster';
import { Network } from './network';
import { proctor } from './program';
import { PlainProxy } from './proxy';
import { databaseOf, type Release } from './release';
import type { Stops } from './stops';

export interface DeploymentPlan {
  apis: number;
  schedulers: number;
  workers: number;
  /** nats-servers. */
  nodes: 1 | 3;
  /** With a synchronous standby of PostgreSQL. */
  standby: boolean;
  /** Each worker has a network of its own; only root can make it. */
  networks: boolean;
  /** Whose schema and accounts there are at first. */
  first: Release;
  /** The checkout. */
  root: string;
}

/** Whole processes on one machine: services, two kinds of servers, workers, and a plain proxy in front. */
export class Deployment {
  readonly apis: App[] = [];
  readonly schedulers: App[] = [];
  readonly workers: App[] = [];
  readonly keys = { admin: '', alice: '', bob: '' };
  readonly password = 'correct horse';
  readonly arch = hostArchitecture();
  readonly idleArch = this.arch === 'riscv64' ? 'amd64' : 'riscv64';
  /** Where the services keep the store. */
  home: string;
  private readonly networks: Network[] = [];
  private readonly ports = new Map<App, number>();

  private constructor(
    private readonly plan: DeploymentPlan,
    readonly stops: Stops,
    readonly folder: string,
    readonly databases: Databases,
  ) {
    this.home = join(folder, 'home');
  }

  private natsCluster!: NatsCluster;
  private plainProxy!: PlainProxy;

  /** Everything but the processes of the product. */
  static async prepare(plan: DeploymentPlan, stops: Stops): Promise<Deployment> {
    const { first } = plan;
    const folder = await mkdtemp(join(tmpdir(), 'proctor-rehearsal-'));
    await stops.start(
      () => chmod(folder, 0o711),
      () => rm(folder, { recursive: true, force: true }),
    );
    const databases = await Databases.start(folder, stops, plan, (url) =>
      proctor(stops, first, ['migrate'], { PROCTOR_DATABASE_URL: url }),
    );
    const deployment = new Deployment(plan, stops, folder, databases);
    await deployment.openServices();
    await deployment.addUsers();
    await deployment.planApps();
    return deployment;
  }

  get nats(): NatsCluster {
    return this.natsCluster;
  }

  get proxy(): PlainProxy {
    return this.plainProxy;
  }

  async start(releases: { apis: Release; schedulers: Release; workers: Release }): Promise<void> {
    await this.startServer(releases);
    await Promise.all(this.workers.map((app) => app.start(releases.workers)));
  }

  async startServer(releases: { apis: Release; schedulers: Release }): Promise<void> {
    await Promise.all(this.schedulers.map((app) => app.start(releases.schedulers)));
    await Promise.all(this.apis.map((app) => app.start(releases.apis)));
    for (const api of this.apis) await this.proxy.takes(this.urlOf(api));
  }

  /** One after the other: each is there again before the next leaves. */
  async restartApis(release: Release): Promise<void> {
    for (const api of this.apis) {
      await api.stop();
      await api.start(release);
      await this.proxy.takes(this.urlOf(api));
    }
  }

  async restartSchedulers(release: Release): Promise<void> {
    for (const scheduler of this.schedulers) {
      await scheduler.stop();
      await scheduler.start(release);
    }
  }

  /** Each ends what it executes before it leaves. */
  async restartWorkers(release: Release): Promise<void> {
    for (const worker of this.workers) {
      await worker.stop('SIGTERM');
      await worker.start(release);
    }
  }

  /** A command of an administrator, who knows what the services know. @returns what it says */
  async command(release: Release, ...args: string[]): Promise<string> {
    const { stdout } = await proctor(this.stops, release, args, {
      ...this.serverEnv(release),
      ...this.nats.env,
    });
    return stdout;
  }

  private async openServices(): Promise<void> {
    const { plan, folder, stops } = this;
    const hosts = new Map<string, string>();
    for (let count = 1; count <= plan.workers; count += 1) {
      if (plan.networks) this.networks.push(await Network.make(count, stops));
      hosts.set(`worker${count}`, this.networks[count - 1]?.host ?? '127.0.0.1');
    }
    const { path: binary } = await findNatsServer((await Home.findHome(process.env, plan.root)).natsPackage);
    this.natsCluster = await NatsCluster.start(
      join(folder, 'nats'),
      { binary, size: plan.nodes, release: plan.first, architectures: [this.arch], workers: hosts },
      stops,
    );
  }

  private async addUsers(): Promise<void> {
    const { openDatabase } = await databaseOf(this.plan.first);
    const database = await openDatabase(this.databases.now);
    const { users, apiKeys } = database;
    try {
      await users.add('admin', { isAdmin: true });
      await users.add('alice', { isAdmin: false, password: this.password });
      await users.add('bob', { isAdmin: false });
      await registerWorkers(database, this.nats.workers, 'admin');
      for (const name of ['admin', 'alice', 'bob'] as const)
        this.keys[name] = (await apiKeys.create(name, 'rehearsal')).key;
    } finally {
      await database.close();
    }
  }

  private async planApps(): Promise<void> {
    const { plan, stops } = this;
    await this.configure('server', {});
    for (let count = 1; count <= plan.apis; count += 1) {
      const port = await findFreePort();
      const env = (release: Release) => ({ ...this.serverEnv(release), PROCTOR_PORT: String(port) });
      const api = this.app(`api${count}`, 'api', 'api', env);
      this.ports.set(api, port);
      this.apis.push(api);
    }
    for (let count = 1; count <= plan.schedulers; count += 1) {
      const env = (release: Release) => this.serverEnv(release);
      this.schedulers.push(this.app(`scheduler${count}`, 'scheduler', 'scheduler', env));
    }
    for (let count = 1; count <= plan.workers; count += 1) {
      const name = `worker${count}`;
      await this.configure(name, { name, workPath: join(this.folder, `${name}-work`) });
      const env = (release: Release) => this.configurationEnv(name, release);
      this.workers.push(this.app(name, 'worker', name, env, this.networks[count - 1]?.prefix));
    }
    stops.add(() =>
      Promise.all([
        ...this.workers.map((app) => app.stop('SIGINT')),
        ...[...this.schedulers, ...this.apis].map((app) => app.stop()),
      ]),
    );
    this.plainProxy = await PlainProxy.start(
      this.apis.map((api) => this.urlOf(api)),
      stops,
    );
  }

  urlOf(api: App): string {
    return `http://127.0.0.1:${this.ports.get(api)}`;
  }

  private app(
    name: string,
    app: 'api' | 'scheduler' | 'worker',
    user: string,
    environmentOf: (release: Release) => NodeJS.ProcessEnv,
    prefix: string[] = [],
  ): App {
    const env = (release: Release): NodeJS.ProcessEnv => ({
      ...process.env,
      ...environmentOf(release),
      PROCTOR_NATS_CREDENTIALS: this.nats.users.path(user),
    });
    const logPath = join(this.folder, `${name}.log`);
    return new App({ name, app, env, logPath, prefix }, this.stops);
  }

  private configurationEnv(config: string, release: Release): NodeJS.ProcessEnv {
    return {
      PROCTOR_HOME: this.home,
      PROCTOR_CONFIG: join(this.folder, 'config', release.isPrevious ? `${config}-before` : config),
    };
  }

  private serverEnv(release: Release): NodeJS.ProcessEnv {
    const { now, url } = this.databases;
    // The release before knows one server.
    const PROCTOR_DATABASE_URL = release.isPrevious ? now : url;
    return { ...this.configurationEnv('server', release), PROCTOR_DATABASE_URL };
  }

  private async configure(name: string, worker: object): Promise<void> {
    const { arch, idleArch, plan } = this;
    const stub = resolve(plan.root, 'test/stub/autopkgtest-stub');
    const path = join(this.folder, 'config', name);
    const configuration = { arch, idleArch, stub, streamReplicas: plan.nodes, worker };
    await writeConfiguration(path, configuration, false);
    await writeConfiguration(`${path}-before`, configuration, true);
  }
}
