import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { openDatabase } from '@proctor/database';
import { AppProcess, EmbeddedNats, Home, freePort } from '@proctor/embedded';
import { createTestDatabase, type TestDatabase } from './database';
import { OutputLines } from './output-lines';

export type AppName = 'api' | 'scheduler' | 'worker';
export type ProcessName = AppName | 'nats';

/** Contents of the files of a configuration folder, as plain values. */
export interface ConfigurationFiles {
  proctor?: Record<string, unknown>;
  worker?: Record<string, unknown>;
  aptSources?: unknown;
  rejectList?: unknown;
}

export interface ProctorOptions {
  config?: ConfigurationFiles;
  /** All three when absent; the others can be started later with restart(). */
  apps?: AppName[];
  /** Added to the environment of every app. */
  env?: NodeJS.ProcessEnv;
}

/** Proctor's own processes on a database, a nats-server, a home and a port that belong to one test alone. */
export interface RunningProctor {
  url: string;
  natsUrl: string;
  databaseUrl: string;
  /** API key of the user `admin`. */
  adminKey: string;
  home: Home;
  processes: Record<AppName, AppProcess> & { nats: EmbeddedNats };
  output: OutputLines;
  /** Resolves when the process is gone; at once for a signal that ends nothing (SIGSTOP, SIGCONT, SIGHUP). */
  kill(name: ProcessName, signal: NodeJS.Signals): Promise<void>;
  /** Starts what is not running, on the same port and folder as before; resolves once it serves. */
  restart(name: ProcessName): Promise<void>;
  /** Ends and removes everything; to be called also when the test fails. */
  stop(): Promise<void>;
}

const APPS: AppName[] = ['api', 'scheduler', 'worker'];
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
  const database = await createTestDatabase();
  undo.push(() => database.drop());
  const nats = new EmbeddedNats({
    folder: home.nats,
    binary: required('PROCTOR_TEST_NATS_SERVER'),
    passwordFile: home.secret('nats'),
  });
  await nats.start();
  undo.push(() => nats.stop());
  const port = await freePort();
  const env = {
    ...process.env,
    ...options.env,
    PROCTOR_HOME: home.path,
    PROCTOR_CONFIG: await writeConfiguration(home, options.config ?? {}),
    PROCTOR_PORT: String(port),
    PROCTOR_NATS_URL: nats.url,
  };
  const app = (name: AppName): AppProcess =>
    new AppProcess({
      name,
      main: join(dist, name, 'src/main.js'),
      env: { ...env, PROCTOR_DATABASE_URL: name === 'worker' ? undefined : database.url },
      identityFile: home.processFile(name),
      onLine: (line) => output.add(name, line),
    });
  const processes = { api: app('api'), scheduler: app('scheduler'), worker: app('worker'), nats };
  undo.push(...APPS.map((name) => () => processes[name].stop()));
  const adminKey = await makeAdministrator(database);
  await Promise.all((options.apps ?? APPS).map((name) => started(processes[name], output)));
  return {
    url: `http://127.0.0.1:${port}`,
    natsUrl: nats.url,
    databaseUrl: database.url,
    adminKey,
    home,
    processes,
    output,
    async kill(name, signal) {
      processes[name].kill(signal);
      if (!ENDS_NOTHING.includes(signal)) await processes[name].ended;
    },
    restart: (name) => (name === 'nats' ? nats.start() : started(processes[name], output)),
    stop,
  };
}

/** A start that fails tells what the app said. */
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

async function writeConfiguration(home: Home, files: ConfigurationFiles): Promise<string> {
  const folder = join(home.path, 'config');
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

async function makeAdministrator({ url }: TestDatabase): Promise<string> {
  const database = await openDatabase(url);
  try {
    await database.users.add('admin', { isAdmin: true });
    return (await database.apiKeys.create('admin', 'test')).key;
  } finally {
    await database.close();
  }
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: the global setup of jest sets it`);
  return value;
}
