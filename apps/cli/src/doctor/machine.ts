import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Configuration, connections } from '@proctor/config';
import { runAppForAnswer, Home, HomeLock, isPortTaken } from '@proctor/embedded';
import { diskSpace } from '@proctor/monitoring';
import { openStore } from '@proctor/store';
import { configurationFolder, readConfiguration } from '../configuration';
import { projectFolder } from '../project';
import { serviceUrl } from '../start/welcome';
import { fail, findingsOf, ok, warn, type Finding } from './finding';

const GIB = 1024 ** 3;
/** Free part of the disk: below the first, a warning; below the second, results can no longer be saved. */
const FREE_WARN = 0.1;
const FREE_FAIL = 0.02;
/** Each connection and each file that is sent takes one open file. */
const OPEN_FILES_MIN = 4_096;
const HEALTH_MS = 5_000;
const WORKER_MS = 60_000;

/** Checks the files of the configuration folder. */
export function checkConfiguration(): Promise<Finding[]> {
  return findingsOf('configuration', `proctor config check ${configurationFolder()}`, async () => {
    await readConfiguration();
    return [ok('configuration', `${configurationFolder()} has no mistakes`)];
  });
}

/** Checks the home, the store, the limits of this machine, and the service that runs here. */
export async function checkMachine(): Promise<Finding[]> {
  const configuration = await readConfiguration().catch(() => null);
  const home = await Home.findHome(process.env, projectFolder());
  const { store } = configuration ?? {};
  const folders: [string, string][] = [['home', home.path]];
  if (store?.kind === 'folder') folders.push(['store', store.path]);
  return [
    ...(await Promise.all(folders.map(([check, folder]) => lookAtFolder(check, folder)))).flat(),
    ...(store?.kind === 's3' ? await lookAtBucket(store) : []),
    await checkOpenFiles(),
    ...(configuration ? await lookAtService(configuration, home) : []),
  ];
}

function lookAtFolder(check: string, folder: string): Promise<Finding[]> {
  const remedy = `make ${folder} a folder that the user of the services may write to`;
  return findingsOf(check, remedy, async () => {
    const { freeBytes, totalBytes } = await diskSpace(folder);
    const free = freeBytes / totalBytes;
    const space = `${folder}: ${(freeBytes / GIB).toFixed(1)} GiB free (${Math.round(free * 100)} %)`;
    if (free < FREE_FAIL) return [fail(check, space, `free space on the disk of ${folder}`)];
    return [free < FREE_WARN ? warn(check, space, `free space on the disk of ${folder}`) : ok(check, space)];
  });
}

/** Checks a bucket by opening a file that does not exist. */
function lookAtBucket(settings: Extract<Configuration['store'], { kind: 's3' }>): Promise<Finding[]> {
  const remedy = `correct store in proctor.yaml, or PROCTOR_S3_ACCESS_KEY_ID and PROCTOR_S3_SECRET_ACCESS_KEY`;
  return findingsOf('store', remedy, async () => {
    const store = await openStore(settings, () => connections().storeCredentials);
    try {
      (await store.open(1, 1, 'log.gz'))?.content.destroy();
    } finally {
      store.close();
    }
    return [ok('store', `the bucket ${settings.bucket} answers`)];
  });
}

/** Checks how many files a process may have open. */
export async function checkOpenFiles(): Promise<Finding> {
  const limits = await readFile('/proc/self/limits', 'utf8');
  const text = /^Max open files +\S+ +(\S+)/m.exec(limits)?.[1] ?? '0';
  const limit = `a process may open ${text} files`;
  if (text === 'unlimited' || Number(text) >= OPEN_FILES_MIN) return ok('open files', limit);
  return warn('open files', limit, 'LimitNOFILE=65536 in the units, or ulimit -n 65536 before the start');
}

async function lookAtService({ server }: Configuration, home: Home): Promise<Finding[]> {
  const holder = await HomeLock.holder(home.lock).catch(() => null);
  if (holder) return lookAtHealth(holder.url);
  if (server.port !== 0 && server.port < 1024 && process.getuid?.() !== 0)
    return [
      fail(
        'port',
        `${server.port}: only root may listen below 1024`,
        'PROCTOR_PORT=8080, and a proxy in front of it',
      ),
    ];
  if (server.port === 0 || !(await isPortTaken(server.host, server.port)))
    return [ok('port', `${server.host}:${server.port} is free; no service of this home runs`)];
  return lookAtHealth(serviceUrl(server));
}

function lookAtHealth(url: string): Promise<Finding[]> {
  return findingsOf('service', 'see what listens there: ss -ltnp', async () => {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(HEALTH_MS) });
    const { ready, version, reasons } = (await response.json()) as {
      ready?: boolean;
      version?: string;
      reasons?: string[];
    };
    const what = `${url} (${version ?? 'of an unknown version'})`;
    if (ready) return [ok('service', `${what} is ready`)];
    return [
      fail(
        'service',
        `${what} is not ready: ${reasons?.join('; ') ?? response.status}`,
        'do what the lines above say',
      ),
    ];
  });
}

/** The output of the worker's own check: `apps/worker/src/check/findings.ts`. */
interface MachineFindings {
  backends: {
    name: string;
    isConfigured: boolean;
    problem: string | null;
    images: { builtAt: number; suite: string }[];
  }[];
  architectures: { name: string; isServed: boolean; problem: string | null }[];
  variants: { name: string; program: string; isExecutable: boolean }[];
}

/**
 * Checks what a worker on this machine could run, with the worker's own code.
 * @param signal stops the check
 */
export function checkWorkerMachine(signal?: AbortSignal): Promise<Finding[]> {
  return findingsOf('worker', 'proctor worker check', async () => {
    const { worker } = await readConfiguration();
    const home = await Home.findHome(process.env, projectFolder());
    const env = { ...process.env, PROCTOR_HOME: home.path, PROCTOR_CONFIG: configurationFolder() };
    const main = join(__dirname, '../../../worker/src/check-machine.js');
    const machine = (await runAppForAnswer(main, env, WORKER_MS, signal)) as MachineFindings;
    return workerFindings(machine, worker.imageAgeMaxMs, Date.now());
  });
}

/** Findings about everything that the configuration has the worker offer. */
export function workerFindings(machine: MachineFindings, imageAgeMaxMs: number, now: number): Finding[] {
  const { backends, architectures, variants } = machine;
  return [
    ...backends
      .filter(({ isConfigured }) => isConfigured)
      .map(({ name, problem }) =>
        problem === null
          ? ok('worker', `backend ${name} works`)
          : fail('worker', `backend ${name}: ${firstLine(problem)}`, remedyIn(problem)),
      ),
    ...backends.flatMap(({ name, images }) =>
      images
        .filter(({ builtAt }) => now - builtAt > 2 * imageAgeMaxMs)
        .map(({ suite }) =>
          warn(
            'worker',
            `the image of ${suite} for ${name} is old`,
            "read the worker's log: why is it not built again?",
          ),
        ),
    ),
    ...architectures
      .filter(({ isServed, problem }) => isServed && problem !== null)
      .map(({ name, problem }) => fail('worker', `${name}: ${firstLine(problem!)}`, remedyIn(problem!))),
    ...variants
      .filter(({ isExecutable }) => !isExecutable)
      .map(({ name, program }) =>
        fail('worker', `variant ${name}: ${program} cannot be executed`, 'correct variants in worker.yaml'),
      ),
  ];
}

const firstLine = (text: string): string => text.split('\n')[0]!;

/** The command that a problem names on its own line; `proctor worker check` if it names none. */
function remedyIn(problem: string): string {
  const lines = problem
    .split('\n')
    .slice(1)
    .map((line) => line.trim());
  return lines.find((line) => line !== '') ?? 'proctor worker check';
}
