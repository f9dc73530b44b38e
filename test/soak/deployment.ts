import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { migrate, openDatabase } from '@proctor/database';
import type { Credentials } from '@proctor/bus';
import {
  AppProcess,
  EmbeddedNats,
  EmbeddedPostgres,
  findNatsServer,
  findFreePort,
  Home,
} from '@proctor/embedded';
import { stringify } from 'yaml';
import { TestUsers } from '../support/nats-users';
import { registerWorkers } from '../support/worker-register';
import { Links } from './links';
import { ARCHITECTURES, BACKEND, STUB_VARIANT, SUITES, VARIANT, type ExecutorPlan } from './plan';
import type { Records } from './records';
import { mayMount, SmallDisk } from './small-disk';

/** Compiled beside this file. */
const COMPILED = join(__dirname, '../..');
const EXECUTORS = ['executor1', 'executor2'];
const SLOTS_PER_EXECUTOR = 24;
const WORKER_DISK_MIB = 128;

/** Long enough for a busy machine, short enough for faults to be seen. */
export const LEASE_TTL_MS = 6_000;
export const OWNERSHIP_TTL_MS = 3_000;

/** One api, two schedulers, and workers, each a process of its own, on a real PostgreSQL and a real nats-server. */
export class SoakDeployment {
  readonly schedulers: AppProcess[] = [];
  readonly executors: AppProcess[] = [];
  /** What each part reaches PostgreSQL and nats-server through. */
  readonly links = new Links();
  /** One file for each executor, a line for each execution. */
  readonly executionsPath: string;
  key = '';
  /** part → the file system of its files, where file systems could be mounted */
  readonly disks = new Map<string, SmallDisk>();
  api!: AppProcess;
  /** The whole one, whose runs are processes of the stub. */
  worker!: AppProcess;
  private port = 0;

  private constructor(
    private readonly folder: string,
    readonly postgres: EmbeddedPostgres,
    readonly nats: EmbeddedNats,
    readonly users: TestUsers,
    private readonly records: Records,
  ) {
    this.executionsPath = join(folder, 'executions');
  }

  static async start(records: Records): Promise<SoakDeployment> {
    const folder = await mkdtemp(join(tmpdir(), 'proctor-soak-'));
    // The servers run as another user when the soak runs as root.
    await chmod(folder, 0o711);
    const postgres = new EmbeddedPostgres({
      folder: join(folder, 'postgresql'),
      passwordFile: join(folder, 'postgres-password'),
    });
    const { path: binary } = await findNatsServer(
      (await Home.findHome(process.env, process.cwd())).natsPackage,
      console.log,
    );
    const [port, users] = [await findFreePort(), new TestUsers(join(folder, 'nats-users'))];
    const workers = [...EXECUTORS, WORKER_FILE.name].map((name) => ({ name, architectures: ARCHITECTURES }));
    const accounts = await users.prepare(`nats://127.0.0.1:${port}`, workers);
    const nats = new EmbeddedNats({ folder: join(folder, 'nats'), binary, accounts, port });
    const deployment = new SoakDeployment(folder, postgres, nats, users, records);
    try {
      await deployment.open();
    } catch (error) {
      await deployment.stop();
      throw error;
    }
    return deployment;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Every process of the product. */
  get apps(): AppProcess[] {
    return [this.api, this.worker, ...this.executors, ...this.schedulers];
  }

  get databaseFolder(): string {
    return join(this.folder, 'postgresql', 'data');
  }

  get natsFolder(): string {
    return join(this.folder, 'nats');
  }

  disk(part: string): SmallDisk {
    const disk = this.disks.get(part);
    if (!disk) throw new Error(`${part} has no disk of its own`);
    return disk;
  }

  /** Ends everything and removes every file. */
  async stop(): Promise<void> {
    const apps = this.apps.filter((app) => app?.pid != null);
    // A frozen one would not handle the signal to end.
    for (const app of apps) app.kill('SIGCONT');
    await Promise.allSettled(apps.map((app) => app.stop()));
    await this.links.close();
    await Promise.allSettled([this.nats.stop(), this.postgres.stop()]);
    for (const server of ['postgresql', 'nats'])
      await this.records.take(server, join(this.folder, server, 'server.log')).catch(() => undefined);
    await Promise.allSettled([...this.disks.values()].map((disk) => disk.unmount()));
    await rm(this.folder, { recursive: true, force: true });
  }

  private async open(): Promise<void> {
    await Promise.all([this.postgres.start(), this.nats.start()]);
    await migrate(this.postgres.url);
    await mkdir(this.executionsPath);
    if (mayMount()) await this.mountDisks();
    // The stub leaves its marks as the user that tests run as.
    await chmod(this.executionsPath, 0o777);
    this.port = await findFreePort();
    this.key = await this.makeKey();
    const config = await this.configure();
    this.api = this.app('api', 'apps/api/src/main.js', await this.environment('api', 'api', config));
    for (const name of ['scheduler1', 'scheduler2'])
      this.schedulers.push(
        this.app(name, 'apps/scheduler/src/main.js', await this.environment(name, 'scheduler', config)),
      );
    for (const name of EXECUTORS) this.executors.push(await this.executor(name));
    this.worker = this.app(
      'worker',
      'apps/worker/src/main.js',
      await this.environment('worker', WORKER_FILE.name, config),
    );
    await Promise.all(this.apps.map((app) => app.start()));
  }

  private async mountDisks(): Promise<void> {
    this.disks.set('store', await SmallDisk.mount(join(this.folder, 'store'), 64));
    this.disks.set('worker', await SmallDisk.mount(join(this.folder, 'worker'), WORKER_DISK_MIB));
    this.disks.set('executor1', await SmallDisk.mount(join(this.folder, 'results-executor1'), 16));
  }

  private async configure(): Promise<string> {
    const config = join(this.folder, 'config');
    await mkdir(config);
    await writeFile(join(config, 'proctor.yaml'), stringify(this.serverFile()));
    await writeFile(join(config, 'worker.yaml'), stringify(this.workerFile()));
    return config;
  }

  private async environment(part: string, user: string, config: string): Promise<NodeJS.ProcessEnv> {
    return {
      ...process.env,
      PROCTOR_HOME: this.folder,
      PROCTOR_CONFIG: config,
      PROCTOR_PORT: String(this.port),
      PROCTOR_DATABASE_URL: await this.links.to('postgres', part, this.postgres.url),
      PROCTOR_NATS_CREDENTIALS: await this.credentialsFile(part, user),
    };
  }

  /** The credentials of a user who connects to NATS through the part's own link. */
  private async credentials(part: string, user: string): Promise<Credentials> {
    const credentials = await this.users.read(user);
    return { ...credentials, url: (await this.links.to('nats', part, credentials.url)).replace(/\/$/, '') };
  }

  private async credentialsFile(part: string, user: string): Promise<string> {
    const path = join(this.folder, `${part}.credentials.json`);
    await writeFile(path, JSON.stringify(await this.credentials(part, user)), { mode: 0o600 });
    return path;
  }

  /** The stub leaves its marks in the home, where a test sees nothing else. */
  private workerFile(): object {
    return { ...WORKER_FILE, visiblePaths: [this.executionsPath] };
  }

  private serverFile(): object {
    return {
      suites: SUITES,
      architectures: ARCHITECTURES,
      backends: [BACKEND],
      variants: [VARIANT, STUB_VARIANT],
      scheduler: {
        leaseTtlMs: LEASE_TTL_MS,
        leaseRenewMs: LEASE_TTL_MS / 6,
        ownershipTtlMs: OWNERSHIP_TTL_MS,
        askAgainMs: 1_000,
        retry: { attemptsMax: 20, delayMs: 200, delayMaxMs: 1_000 },
      },
    };
  }

  /** Another process with the name of an executor, on what could be another machine. */
  twinOf(name: string): Promise<AppProcess> {
    return this.executor(name, `${name}-twin`);
  }

  private async executor(name: string, place = name): Promise<AppProcess> {
    const credentials = await this.credentials(place, name);
    const plan: ExecutorPlan = {
      ...{ name, credentials, slots: SLOTS_PER_EXECUTOR, architectures: ARCHITECTURES },
      ...{ suites: SUITES, backend: BACKEND, variant: VARIANT, executionsPath: this.executionsPath },
      resultsPath: join(this.folder, `results-${place}`),
    };
    const env = { ...process.env, PROCTOR_SOAK_EXECUTOR: JSON.stringify(plan) };
    return this.app(place, 'test/soak/executor.js', env);
  }

  private app(name: string, main: string, env: NodeJS.ProcessEnv): AppProcess {
    return new AppProcess({
      name,
      main: join(COMPILED, main),
      env,
      identityFile: join(this.folder, `${name}.json`),
      // After SIGTERM a worker finishes its tests first.
      ...(name === 'worker' && { stopSignal: 'SIGINT' as const }),
      onLine: (line) => this.records.line(name, line),
    });
  }

  private async makeKey(): Promise<string> {
    const database = await openDatabase(this.postgres.url);
    try {
      await database.users.add('soak', { isAdmin: false });
      await registerWorkers(database, this.users.workers, 'soak');
      return (await database.apiKeys.create('soak', 'soak')).key;
    } finally {
      await database.close();
    }
  }
}

const WORKER_FILE = {
  name: 'worker',
  freeDiskBytesMin: (WORKER_DISK_MIB / 4) * 1024 ** 2,
  slots: Math.max(2, availableParallelism()),
  architectures: ARCHITECTURES,
  suitesAtStart: SUITES,
  backends: [BACKEND],
  machineMayBeDestroyed: true,
  variants: { [STUB_VARIANT]: [resolve('test/stub/autopkgtest-stub')] },
};
