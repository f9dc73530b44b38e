import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { loadConfiguration } from '@proctor/config';
import { migrate, openDatabase } from '@proctor/database';
import { AppProcess, EmbeddedNats, EmbeddedPostgres, Home, findFreePort } from '@proctor/embedded';
import { createTestDatabase, type TestDatabase } from './database';
import { TestUsers } from './nats-users';
import { OutputLines } from './output-lines';
import { contentsOf, requireNoneShown, seedsIn, type Secret } from './shown-secrets';
import { registerWorkers } from './worker-register';

const PROGRAMS = {
  api: 'api',
  scheduler: 'scheduler',
  scheduler2: 'scheduler',
  worker: 'worker',
  worker2: 'worker',
};
export type AppName = keyof typeof PROGRAMS;
export type ProcessName = AppName | 'nats' | 'postgres';

/** Contents of the files of a configuration folder, as plain values. */
export interface ConfigurationFiles {
  proctor?: Record<string, unknown>;
  worker?: Record<string, unknown>;
  aptSources?: unknown;
  rejectList?: unknown;
}

export interface ProctorOptions {
  config?: ConfigurationFiles;
  /** One of each when absent; the others can be started later with restart(). */
  apps?: AppName[];
  /** A PostgreSQL server that no other test uses, so that it may be killed. */
  ownPostgres?: boolean;
  /** Name and work area of the second worker, instead of its own. */
  worker2?: { name?: string; workPath?: string };
  /** Names of the test's own workers, which are registered like those of the configuration. */
  workers?: string[];
  /** Added to the environment of every app. */
  env?: NodeJS.ProcessEnv;
}

/** Proctor's own processes on a database, a nats-server, a home and a port that belong to one test alone. */
export interface RunningProctor {
  url: string;
  /** Users of nats-server: those of the deployment, and the operator for the checks of a test. */
  users: TestUsers;
  databaseUrl: string;
  /** API key of the user `admin`. */
  adminKey: string;
  home: Home;
  processes: Processes;
  output: OutputLines;
  /** Resolves when the process has ended; at once for a signal that ends nothing (SIGSTOP, SIGCONT, SIGHUP). */
  kill(name: ProcessName, signal: NodeJS.Signals): Promise<void>;
  /** Starts what is not running, on the same port and folder as before; resolves once it serves. */
  restart(name: ProcessName): Promise<void>;
  /** Replaces a file of the configuration, whole at every moment; the processes follow it. */
  configure(file: string, content: unknown): Promise<void>;
  /**
   * Ends and removes everything; to be called also when the test fails. Rejects when a log holds a secret of the
   * deployment.
   */
  stop(): Promise<void>;
}

type Processes = Record<AppName, AppProcess> & { nats: EmbeddedNats; postgres: EmbeddedPostgres | null };

const APPS = Object.keys(PROGRAMS) as AppName[];
const STARTED: AppName[] = ['api', 'scheduler', 'worker'];
const ENDS_NOTHING: NodeJS.Signals[] = ['SIGSTOP', 'SIGCONT', 'SIGHUP'];
const dist = join(__dirname, '../../dist/apps');

/** Starts the built apps. @throws when dist is missing; with nothing left running when one of them does not start */
export async function startProctor(options: ProctorOptions = {}): Promise<RunningProctor> {
  if (!existsSync(dist)) throw new Error('there is no dist: run `npm run build` first');
  const home = await makeHome();
  const undo: (() => Promise<void>)[] = [() => rm(home.path, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    const errors: unknown[] = [];
    for (let next = undo.pop(); next; next = undo.pop()) await next().catch((error) => errors.push(error));
    if (errors.length > 0) throw new AggregateError(errors, 'not everything could be stopped');
  };
  try {
    return await startWithin(home, options, undo, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startWithin(
  home: Home,
  options: ProctorOptions,
  undo: (() => Promise<void>)[],
  stop: () => Promise<void>,
): Promise<RunningProctor> {
  const output = new OutputLines();
  const database = await makeDatabase(home, options.ownPostgres ?? false);
  undo.push(() => database.drop());
  const configuration = await writeConfigurations(home, options.config ?? {}, options.worker2);
  const [first, second] = await Promise.all(
    [configuration.worker, configuration.worker2].map((PROCTOR_CONFIG) =>
      loadConfiguration({ PROCTOR_CONFIG }),
    ),
  );
  const workerNames = { worker: first!.worker.name, worker2: second!.worker.name };
  const [natsPort, users] = [await findFreePort(), new TestUsers(home.natsUsers)];
  const names = [...new Set([...Object.values(workerNames), ...(options.workers ?? [])])];
  // A worker may serve what the server does not know, as for a test's own dispatcher.
  const served = [first!, second!].flatMap(({ server, worker }) => [
    ...server.architectures,
    ...worker.architectures,
  ]);
  const architectures = [...new Set(served)].filter((arch) => arch !== 'detected');
  const workers = names.map((name) => ({ name, architectures }));
  const accounts = await users.prepare(`nats://127.0.0.1:${natsPort}`, workers);
  const binary = required('PROCTOR_TEST_NATS_SERVER');
  const nats = new EmbeddedNats({ folder: home.nats, binary, accounts, port: natsPort });
  await nats.start();
  undo.push(() => nats.stop());
  const port = await findFreePort();
  const env = {
    ...process.env,
    ...options.env,
    PROCTOR_HOME: home.path,
    PROCTOR_PORT: String(port),
  };
  const userOf = { api: 'api', scheduler: 'scheduler', scheduler2: 'scheduler', ...workerNames };
  const app = (name: AppName): AppProcess =>
    new AppProcess({
      name,
      main: join(dist, PROGRAMS[name], 'src/main.js'),
      env: {
        ...env,
        PROCTOR_CONFIG: configuration[name],
        PROCTOR_DATABASE_URL: PROGRAMS[name] === 'worker' ? undefined : database.url,
        PROCTOR_NATS_CREDENTIALS: users.path(userOf[name]),
      },
      identityFile: home.processFile(name),
      stopSignal: PROGRAMS[name] === 'worker' ? 'SIGINT' : 'SIGTERM',
      onLine: (line) => output.add(name, line),
    });
  const apps = Object.fromEntries(APPS.map((name) => [name, app(name)])) as Record<AppName, AppProcess>;
  const processes = { ...apps, nats, postgres: database.server };
  const secrets: Secret[] = [['password of the database', new URL(database.url).password]];
  const bucketKey = options.env?.['PROCTOR_S3_SECRET_ACCESS_KEY'];
  if (bucketKey !== undefined) secrets.push(['secret key of the bucket', bucketKey]);
  undo.push(async () => {
    const logs = await contentsOf([home.nats, home.postgresql].map((folder) => join(folder, 'server.log')));
    requireNoneShown(
      [...secrets, ...(await seedsIn(home.natsUsers))],
      [['its output', output.text], ...logs],
    );
  });
  undo.push(...APPS.map((name) => () => stopped(processes[name])));
  const adminKey = await registerAll(database, users);
  secrets.push(['API key', adminKey]);
  await Promise.all((options.apps ?? STARTED).map((name) => started(processes[name], output)));
  return {
    url: `http://127.0.0.1:${port}`,
    users,
    databaseUrl: database.url,
    adminKey,
    home,
    processes,
    output,
    async kill(name, signal) {
      const killed = ofThisTest(processes, name);
      killed.kill(signal);
      if (!ENDS_NOTHING.includes(signal)) await killed.whenEnded;
    },
    async restart(name) {
      if (name === 'nats' || name === 'postgres') await ofThisTest(processes, name).start();
      else await started(processes[name], output);
    },
    async configure(file, content) {
      const path = join(configuration.api, file);
      await writeFile(`${path}.new`, typeof content === 'string' ? content : stringify(content));
      await rename(`${path}.new`, path);
    },
    stop,
  };
}

async function makeDatabase(
  home: Home,
  isOwn: boolean,
): Promise<TestDatabase & { server: EmbeddedPostgres | null }> {
  if (!isOwn) return { ...(await createTestDatabase()), server: null };
  const server = new EmbeddedPostgres({ folder: home.postgresql, passwordFile: home.secret('postgres') });
  await server.start();
  await migrate(server.url).catch(async (error: unknown) => {
    await server.stop();
    throw error;
  });
  return { url: server.url, drop: () => server.stop(), server };
}

function ofThisTest(processes: Processes, name: ProcessName): AppProcess | EmbeddedNats | EmbeddedPostgres {
  const target = processes[name];
  if (target === null) throw new Error(`${name} is shared with other tests: ask for one with ownPostgres`);
  return target;
}

/** A process that a test has frozen could not end by itself. */
function stopped(app: AppProcess): Promise<void> {
  app.kill('SIGCONT');
  return app.stop();
}

/** The error of a failed start has the output of the app. */
async function started(app: AppProcess, output: OutputLines): Promise<void> {
  await app.start().catch((error: Error) => {
    throw new Error(`${error.message}:\n${output.of(app.name).slice(-20).join('\n')}`);
  });
}

/** Below the folder of the run of jest, which removes what an interrupted test leaves. */
async function makeHome(): Promise<Home> {
  const home = new Home(await mkdtemp(join(required('PROCTOR_TEST_FOLDER'), 'homes/')));
  await chmod(home.path, 0o711);
  await home.prepare();
  return home;
}

/** One folder for all processes but the second worker, which has another name and work area. */
async function writeConfigurations(
  home: Home,
  files: ConfigurationFiles,
  worker2: ProctorOptions['worker2'],
): Promise<Record<AppName, string>> {
  const folder = await writeConfiguration(join(home.path, 'config'), files);
  const worker = { ...files.worker, name: 'second', workPath: 'worker2', ...worker2 };
  const second = await writeConfiguration(join(home.path, 'config2'), { ...files, worker });
  return { api: folder, scheduler: folder, scheduler2: folder, worker: folder, worker2: second };
}

async function writeConfiguration(folder: string, files: ConfigurationFiles): Promise<string> {
  await mkdir(folder);
  // Images are built when a test asks for one.
  const worker = { suitesAtStart: [], ...files.worker };
  const contents: [string, unknown][] = [
    ['proctor.yaml', files.proctor],
    ['worker.yaml', worker],
    ['apt-sources.yaml', files.aptSources],
    ['reject-list.yaml', files.rejectList],
  ];
  for (const [name, value] of contents) {
    if (value !== undefined) await writeFile(join(folder, name), stringify(value));
  }
  return folder;
}

/** Adds the administrator and the workers. @returns an API key of the administrator */
async function registerAll({ url }: TestDatabase, { workers }: TestUsers): Promise<string> {
  const database = await openDatabase(url);
  try {
    await database.users.add('admin', { isAdmin: true });
    const { key } = await database.apiKeys.create('admin', 'test');
    await registerWorkers(database, workers, 'admin');
    return key;
  } finally {
    await database.close();
  }
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: the global setup of jest sets it`);
  return value;
}
