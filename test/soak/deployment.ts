import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { migrate, openDatabase } from '@proctor/database';
import { AppProcess, EmbeddedNats, EmbeddedPostgres, findNatsServer, freePort } from '@proctor/embedded';
import { stringify } from 'yaml';
import { ARCHITECTURES, BACKEND, STUB_VARIANT, SUITES, VARIANT, type ExecutorPlan } from './plan';

/** Compiled beside this file. */
const COMPILED = join(__dirname, '../..');
const EXECUTORS = 2;
const SLOTS_PER_EXECUTOR = 24;
const OUTPUT_LINES_MAX = 200;

/** Long enough for a busy machine, short enough for faults to be seen. */
export const LEASE_TTL_MS = 6_000;
export const OWNERSHIP_TTL_MS = 3_000;

/** One api, two schedulers, and workers, each a process of its own, on a real PostgreSQL and a real nats-server. */
export class Deployment {
  readonly schedulers: AppProcess[] = [];
  readonly workers: AppProcess[] = [];
  /** The last lines of all processes. */
  readonly output: string[] = [];
  /** One file for each executor, a line for each execution. */
  readonly executionsPath: string;
  key = '';
  private api!: AppProcess;
  private port = 0;

  private constructor(
    private readonly folder: string,
    readonly postgres: EmbeddedPostgres,
    readonly nats: EmbeddedNats,
  ) {
    this.executionsPath = join(folder, 'executions');
  }

  static async start(): Promise<Deployment> {
    const folder = await mkdtemp(join(tmpdir(), 'proctor-soak-'));
    // The servers run as another user when the soak runs as root.
    await chmod(folder, 0o711);
    const postgres = new EmbeddedPostgres({
      folder: join(folder, 'postgresql'),
      passwordFile: join(folder, 'postgres-password'),
    });
    const { path: binary } = await findNatsServer(join(folder, 'nats-binary'));
    const nats = new EmbeddedNats({
      folder: join(folder, 'nats'),
      binary,
      passwordFile: join(folder, 'nats-password'),
    });
    const deployment = new Deployment(folder, postgres, nats);
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

  get apiProcess(): AppProcess {
    return this.api;
  }

  /** Ends everything and removes every file. */
  async stop(): Promise<void> {
    const apps = [this.api, ...this.workers, ...this.schedulers].filter((app) => app?.pid != null);
    // A frozen one would not hear that it is to end.
    for (const app of apps) app.kill('SIGCONT');
    await Promise.allSettled(apps.map((app) => app.stop()));
    await Promise.allSettled([this.nats.stop(), this.postgres.stop()]);
    await rm(this.folder, { recursive: true, force: true });
  }

  private async open(): Promise<void> {
    await Promise.all([this.postgres.start(), this.nats.start()]);
    await migrate(this.postgres.url);
    await mkdir(this.executionsPath);
    // The stub leaves its marks as the user that tests run as.
    await chmod(this.executionsPath, 0o777);
    this.port = await freePort();
    this.key = await this.makeKey();
    const env = await this.environment();
    this.api = this.app('api', 'apps/api/src/main.js', env);
    for (const place of [1, 2])
      this.schedulers.push(this.app(`scheduler${place}`, 'apps/scheduler/src/main.js', env));
    for (let place = 1; place <= EXECUTORS; place += 1) this.workers.push(this.executor(`executor${place}`));
    this.workers.push(this.app('worker', 'apps/worker/src/main.js', env));
    await Promise.all([this.api, ...this.schedulers, ...this.workers].map((app) => app.start()));
  }

  private async environment(): Promise<NodeJS.ProcessEnv> {
    const config = join(this.folder, 'config');
    await mkdir(config);
    await writeFile(join(config, 'proctor.yaml'), stringify(this.serverFile()));
    await writeFile(join(config, 'worker.yaml'), stringify(WORKER_FILE));
    return {
      ...process.env,
      PROCTOR_HOME: this.folder,
      PROCTOR_CONFIG: config,
      PROCTOR_PORT: String(this.port),
      PROCTOR_DATABASE_URL: this.postgres.url,
      PROCTOR_NATS_URL: this.nats.url,
    };
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

  private executor(name: string): AppProcess {
    const plan: ExecutorPlan = {
      ...{ name, natsUrl: this.nats.url, slots: SLOTS_PER_EXECUTOR, architectures: ARCHITECTURES },
      ...{ suites: SUITES, backend: BACKEND, variant: VARIANT, executionsPath: this.executionsPath },
      resultsPath: join(this.folder, `results-${name}`),
    };
    const env = { ...process.env, PROCTOR_SOAK_EXECUTOR: JSON.stringify(plan) };
    return this.app(name, 'test/soak/executor.js', env);
  }

  private app(name: string, main: string, env: NodeJS.ProcessEnv): AppProcess {
    return new AppProcess({
      name,
      main: join(COMPILED, main),
      env,
      identityFile: join(this.folder, `${name}.json`),
      // A worker that is told by SIGTERM finishes its tests first.
      ...(name === 'worker' && { stopSignal: 'SIGINT' as const }),
      onLine: (line) => {
        this.output.push(`${name}: ${line}`);
        if (this.output.length > OUTPUT_LINES_MAX) this.output.shift();
      },
    });
  }

  private async makeKey(): Promise<string> {
    const database = await openDatabase(this.postgres.url);
    try {
      await database.users.add('soak', { isAdmin: false });
      return (await database.apiKeys.create('soak', 'soak')).key;
    } finally {
      await database.close();
    }
  }
}

const WORKER_FILE = {
  name: 'worker',
  slots: Math.max(2, availableParallelism()),
  architectures: ARCHITECTURES,
  suitesAtStart: SUITES,
  backends: [BACKEND],
  machineMayBeDestroyed: true,
  variants: { [STUB_VARIANT]: [resolve('test/stub/autopkgtest-stub')] },
};
