import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase, type Submitter } from '@proctor/database';
import { AppProcess, EmbeddedNats, findFreePort } from '@proctor/embedded';
import { stringify } from 'yaml';
import { APPS, NODE_OPTIONS } from '@apps/cli/src/start/apps';
import { TestUsers } from '../support/nats-users';
import { registerWorkers } from '../support/worker-register';
import type { ExecutorsNews, ExecutorsPlan } from './executors';
import type { Place } from './place';

export const SUITE = 'sid';
export const ARCH = 'amd64';
/** The backend and variant of runs that light executors execute. */
export const BACKEND = 'null';
export const VARIANT = 'nothing';

/** Compiled beside this file. */
const COMPILED = join(__dirname, '../..');

export interface DeploymentOptions {
  architectures?: string[];
  schedulers?: number;
  /** Names of workers to be registered, which serve all architectures. */
  workers?: string[];
  /** Keys of proctor.yaml in addition to those of the bench. */
  server?: object;
  /** Keys of its section `api`. */
  api?: object;
  /** Where a part finds the database, when that is not the row's own. */
  databaseUrlOf?: (part: string, url: string) => Promise<string>;
  /** Fills the database before anything is started. */
  fill?: (databaseUrl: string) => Promise<void>;
}

/** The product's own processes on a database and a nats-server of their own. */
export class Deployment {
  url = '';
  /** The API key of a user without runs. */
  key = '';
  submitter: Submitter = { userId: 0, keyId: 0 };
  api!: AppProcess;
  /** Ends and removes all of it. */
  stop!: () => Promise<void>;
  readonly schedulers: AppProcess[] = [];
  private readonly others: AppProcess[] = [];
  private readonly lines = new Map<string, (line: string) => void>();
  private env: NodeJS.ProcessEnv = {};

  private constructor(
    readonly folder: string,
    readonly databaseUrl: string,
    readonly users: TestUsers,
    private readonly nats: EmbeddedNats,
    private readonly drop: () => Promise<void>,
  ) {}

  static async start(place: Place, options: DeploymentOptions = {}): Promise<Deployment> {
    const { architectures = [ARCH], workers = [] } = options;
    const { url, drop } = await place.database();
    const folder = await place.newFolder('deployment');
    const [port, users] = [await findFreePort(), new TestUsers(join(folder, 'users'))];
    const namedWorkers = workers.map((name) => ({ name, architectures }));
    const accounts = await users.prepare(`nats://127.0.0.1:${port}`, namedWorkers);
    const nats = new EmbeddedNats({ folder: join(folder, 'nats'), binary: place.natsBinary, accounts, port });
    const deployment = new Deployment(folder, url, users, nats, drop);
    deployment.stop = place.undoing(() => deployment.end());
    await deployment.open(architectures, options);
    return deployment;
  }

  /** The registered workers of these names, as executors that do nothing, in one process. */
  async executors(
    names: string[],
    { slots, arch = ARCH }: { slots: number; arch?: string },
    onNews: (news: ExecutorsNews) => void,
  ): Promise<AppProcess> {
    const plan: ExecutorsPlan = {
      ...{ arch, suite: SUITE, backend: BACKEND, variant: VARIANT, slots },
      workers: await Promise.all(names.map((name) => this.users.read(name))),
    };
    const env = { ...process.env, PROCTOR_BENCH_EXECUTORS: JSON.stringify(plan) };
    return this.startOther(`executors-${names[0]}`, join(__dirname, 'executors.js'), env, (line) => {
      if (line.startsWith('{"recorded"')) onNews(JSON.parse(line) as ExecutorsNews);
      else if (/warn|error/i.test(line)) console.error(line);
    });
  }

  get natsPid(): number {
    return this.nats.pid!;
  }

  /** A whole worker, whose configuration file has these keys. */
  async worker(name: string, file: object): Promise<AppProcess> {
    const config = join(this.folder, `config-${name}`);
    await mkdir(config);
    await writeFile(join(config, 'worker.yaml'), stringify({ name, ...file }));
    const env = {
      ...process.env,
      PROCTOR_HOME: this.folder,
      PROCTOR_CONFIG: config,
      PROCTOR_NATS_CREDENTIALS: this.users.path(name),
    };
    return this.startOther(
      name,
      join(COMPILED, 'apps/worker/src/main.js'),
      env,
      (line) => this.lines.get(name)?.(line),
      'SIGINT',
    );
  }

  private async end(): Promise<void> {
    const apps = [...this.others, this.api, ...this.schedulers].filter((app) => app?.pid != null);
    await Promise.all(apps.map((app) => app.stop()));
    await this.nats.stop();
    await this.drop();
  }

  private async open(architectures: string[], options: DeploymentOptions): Promise<void> {
    await this.nats.start();
    await this.makeUser();
    await options.fill?.(this.databaseUrl);
    const config = join(this.folder, 'config');
    await mkdir(config);
    await writeFile(join(config, 'proctor.yaml'), stringify(serverFile(architectures, options)));
    const port = await findFreePort();
    this.url = `http://127.0.0.1:${port}`;
    this.env = {
      ...process.env,
      PROCTOR_HOME: this.folder,
      PROCTOR_CONFIG: config,
      PROCTOR_PORT: String(port),
    };
    let isStarting = true;
    const lines: string[] = [];
    const databaseUrlOf = options.databaseUrlOf ?? ((_part, url) => Promise.resolve(url));
    const app = async (name: string, program: 'api' | 'scheduler'): Promise<AppProcess> => {
      const env = {
        ...this.env,
        PROCTOR_DATABASE_URL: await databaseUrlOf(name, this.databaseUrl),
        PROCTOR_NATS_CREDENTIALS: this.users.path(program),
      };
      return this.process(name, join(COMPILED, `apps/${program}/src/main.js`), env, (line) => {
        if (isStarting) lines.push(`${name}: ${line}`);
      });
    };
    this.api = await app('api', 'api');
    for (let index = 1; index <= (options.schedulers ?? 0); index += 1)
      this.schedulers.push(await app(`scheduler${index}`, 'scheduler'));
    try {
      await Promise.all([this.api, ...this.schedulers].map((each) => each.start()));
    } catch (error) {
      throw new Error([error instanceof Error ? error.message : error, ...lines].join('\n'), {
        cause: error,
      });
    } finally {
      isStarting = false;
    }
  }

  private async makeUser(): Promise<void> {
    const database = await openDatabase(this.databaseUrl);
    try {
      await database.users.add('bench', { isAdmin: false });
      await registerWorkers(database, this.users.workers, 'bench');
      const { key } = await database.apiKeys.create('bench', 'bench');
      const requestor = await database.apiKeys.authenticate(key);
      if (!requestor) throw new Error('the key just made is not known');
      this.key = key;
      this.submitter = requestor;
    } finally {
      await database.close();
    }
  }

  private async startOther(
    name: string,
    main: string,
    env: NodeJS.ProcessEnv,
    onLine: (line: string) => void,
    stopSignal?: NodeJS.Signals,
  ): Promise<AppProcess> {
    const started = this.process(name, main, env, onLine, stopSignal);
    this.others.push(started);
    await started.start();
    return started;
  }

  private process(
    name: string,
    main: string,
    env: NodeJS.ProcessEnv,
    onLine: (line: string) => void,
    stopSignal?: NodeJS.Signals,
  ): AppProcess {
    const identityFile = join(this.folder, `${name}.json`);
    const app = APPS.find((each) => main.includes(`/apps/${each}/`));
    const nodeOptions = app ? NODE_OPTIONS[app] : [];
    return new AppProcess({
      name,
      main,
      env,
      identityFile,
      onLine,
      nodeOptions,
      ...(stopSignal && { stopSignal }),
    });
  }
}

function serverFile(architectures: string[], { server = {}, api = {} }: DeploymentOptions): object {
  return {
    suites: [SUITE],
    architectures,
    backends: [BACKEND],
    defaultBackend: BACKEND,
    variants: [VARIANT],
    api: {
      ...{ requestsPerSecondMax: 1_000_000, requestsPerMinuteMax: 1_000_000 },
      ...{ anonymousRequestsPerSecondMax: 1_000_000, anonymousRequestsPerMinuteMax: 1_000_000 },
      ...api,
    },
    ...server,
  };
}
