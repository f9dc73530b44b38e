import { rm } from 'node:fs/promises';
import { loadConfiguration, type Configuration } from '@proctor/config';
import {
  Home,
  HomeLock,
  Supervisor,
  installDebianPackages,
  forbidCoreDumps,
  findFreePort,
  isPortTaken,
  requireProcessRoom,
} from '@proctor/embedded';
import { diskSpace } from '@proctor/monitoring';
import { removeAmbient, surviveLostOutput } from '@proctor/surroundings';
import { configurationFolder } from '../configuration';
import { checkWorkerMachine } from '../doctor/machine';
import { EXIT, Failure } from '../failure';
import { projectFolder } from '../project';
import { registerOwnWorker } from './own-worker';
import { appProcess, endLeftOverApps, type AppName } from './apps';
import { startDatabase, startNats, type LaunchContext } from './services';
import { Steps } from './steps';
import { onStopRequest } from './stop-request';
import { problemsIn, serviceUrl, welcome } from './welcome';

/** A worker connects only to NATS, so it gets none of these variables. */
const NOT_FOR_WORKERS = {
  PROCTOR_DATABASE_URL: undefined,
  PROCTOR_S3_ACCESS_KEY_ID: undefined,
  PROCTOR_S3_SECRET_ACCESS_KEY: undefined,
};
const MIB = 1024 ** 2;
/** Disk space for an empty database, the package of nats-server and its streams. */
const ROOM_MIN_BYTES = 300 * MIB;
const STOP_ORDER = ['worker', 'scheduler', 'api', 'nats', 'postgres'];

/** Installs and checks what the worker needs, in parallel with the start. `serve` waits for it before it returns. */
interface Preparation {
  pending: Promise<unknown>;
  readonly signal: AbortSignal;
}

/** Runs all services on this machine until a signal stops them. If it throws, no service is left running. */
export async function start(): Promise<void> {
  surviveLostOutput(process.stdout);
  await requireProcessRoom();
  await forbidCoreDumps();
  const home = await Home.findHome(process.env, projectFolder());
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    PROCTOR_HOME: home.path,
    PROCTOR_CONFIG: configurationFolder(),
  };
  removeAmbient('postgres', env);
  const configuration = await loadConfiguration(env);
  if (configuration.server.port === 0) configuration.server.port = await findFreePort();
  env['PROCTOR_PORT'] = String(configuration.server.port);
  await requireRoom(home);
  await home.prepare();
  const lock = await HomeLock.acquire(home.lock, serviceUrl(configuration.server));
  try {
    if (lock.isTakenOver) console.log('the Proctor before this one was killed: ending what it left behind');
    await endLeftOverApps(home);
    await checkPort(configuration);
    await serve(configuration, env, home);
  } finally {
    await rm(home.databaseUrl, { force: true });
    await lock.release();
  }
}

async function checkPort({ server }: Configuration): Promise<void> {
  const { host, port } = server;
  if (!(await isPortTaken(host, port).catch((error: unknown) => cannotListen(host, port, error)))) return;
  const advice = `choose another one: PROCTOR_PORT=${port + 1} npm start`;
  throw new Error(`port ${port} of ${host} is in use by another program; ${advice}`);
}

/** @throws Error with the cause and the remedy, if they are known */
function cannotListen(host: string, port: number, error: unknown): never {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EACCES')
    throw new Error(
      `port ${port} is below 1024, and only root may listen there: PROCTOR_PORT=8080 npm start, and a proxy in front of it`,
      { cause: error },
    );
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    throw new Error(`this machine does not have the address ${host}: correct api.host, or PROCTOR_HOST`, {
      cause: error,
    });
  throw error;
}

/** PostgreSQL and nats-server report a full disk with errors that do not name it, so the space is checked first. */
async function requireRoom(home: Home): Promise<void> {
  const space = await diskSpace(home.path).catch(() => null);
  // If the user may not write there, `prepare` reports it.
  if (!space || space.freeBytes >= ROOM_MIN_BYTES) return;
  const [free, needed] = [space.freeBytes, ROOM_MIN_BYTES].map((bytes) => Math.floor(bytes / MIB));
  throw new Error(
    `the disk of ${home.path} is full: ${free} MiB are free, and a start needs ${needed}. Free some of it, or choose another` +
      ' folder with PROCTOR_HOME',
  );
}

async function serve(configuration: Configuration, env: NodeJS.ProcessEnv, home: Home): Promise<void> {
  const steps = new Steps((line) => console.log(line));
  const supervisor = new Supervisor(STOP_ORDER, (line) => steps.printNotice(line));
  const ending = new AbortController();
  const preparation: Preparation = { pending: Promise.resolve(), signal: ending.signal };
  let unlisten = (): void => undefined;
  const stopRequested = new Promise<void>((resolve) => {
    let requests = 0;
    unlisten = onStopRequest((cause) => {
      requests += 1;
      if (requests === 1) steps.printNotice(`${cause}: stopping`);
      else void supervisor.stop();
      resolve();
    });
  });
  steps.printNotice(`all data is in ${home.path}${home.reason ? `, since ${home.reason}` : ''}`);
  try {
    const launched = launch(configuration, { env, home, supervisor, steps }, preparation);
    // After a stop, the interrupted start rejects too late to matter: the race is decided.
    await Promise.race([launched, stopRequested]);
    await stopRequested;
  } finally {
    ending.abort();
    await supervisor.stop();
    await preparation.pending;
    unlisten();
  }
}

async function launch(
  configuration: Configuration,
  context: LaunchContext,
  preparation: Preparation,
): Promise<void> {
  const { steps } = context;
  const { server } = configuration;
  const services = [startNats(context, configuration), startDatabase(context)] as const;
  // apt installs nats-server first, then the packages of the worker.
  const packageProblems = services[0].then(
    () => (context.supervisor.isStopping ? [] : installPackages(steps)),
    () => [],
  );
  const workerProblems = packageProblems.then((problems) =>
    problems.length > 0 ? problems : listWorkerProblems(preparation.signal),
  );
  preparation.pending = workerProblems;
  const [nats, { databaseUrl, admin }] = await Promise.all(services);
  const { isRegistered, notice } = await registerOwnWorker(databaseUrl, nats, configuration);
  if (notice !== null) steps.printNotice(notice);
  const startApp = (name: AppName, urls: NodeJS.ProcessEnv): Promise<void> => {
    const app = appProcess(name, { ...context.env, ...urls }, context.home);
    return steps.run(name, () => context.supervisor.start(app).catch(withNodeOptions));
  };
  const urls = (user: string) => ({
    PROCTOR_DATABASE_URL: databaseUrl,
    PROCTOR_NATS_CREDENTIALS: nats.users.path(user),
  });
  const scheduler = startApp('scheduler', urls('scheduler'));
  // A worker that requests leases before a dispatcher runs would log that it gets no answer.
  const worker = Promise.all([packageProblems, scheduler]).then(async () => {
    if (isRegistered) await startApp('worker', { ...urls(configuration.worker.name), ...NOT_FOR_WORKERS });
  });
  await Promise.all([startApp('api', urls('api')), scheduler, worker]);
  // Printed again at the end, where users see it.
  const problems = [...(notice === null ? [] : [notice]), ...(await workerProblems)];
  steps.printNotice(welcome(server, context.home, admin, { isTerminal: process.stdout.isTTY, problems }));
}

/**
 * Options in NODE_OPTIONS may keep one of our programs from starting. @throws Failure with that advice; without
 * NODE_OPTIONS, the error itself
 */
function withNodeOptions(error: unknown): never {
  const options = process.env['NODE_OPTIONS'];
  if (!options || !(error instanceof Error)) throw error;
  const advice = `NODE_OPTIONS is ${JSON.stringify(options)}, and the service uses it too; to start without it: env -u NODE_OPTIONS npm start`;
  throw new Failure(error.message, EXIT.failed, advice, { cause: error });
}

/** Returns why this machine cannot run all tests: a line each, with the remedy. */
async function listWorkerProblems(signal: AbortSignal): Promise<string[]> {
  return signal.aborted ? [] : problemsIn(await checkWorkerMachine(signal));
}

/**
 * Installs missing Debian packages in parallel with the start; only the worker waits for them.
 * @returns why tests cannot run, a line each; empty if they can
 */
async function installPackages(steps: Steps): Promise<string[]> {
  const from = performance.now();
  const progress = steps.progress('Debian packages');
  const outcome = await installDebianPackages(
    undefined,
    (missing) =>
      steps.printNotice(
        `installing Debian packages for the worker (the api answers meanwhile): ${missing.join(' ')}`,
      ),
    progress,
  );
  const seconds = ((performance.now() - from) / 1000).toFixed(1);
  if (outcome.installed.length > 0) steps.printNotice(`Debian packages installed … ${seconds} s`);
  if (!outcome.advice) return [];
  const problem = `the worker cannot run tests: ${outcome.advice}`;
  steps.printNotice(problem);
  return [problem];
}
