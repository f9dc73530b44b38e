import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { systemClock } from '@proctor/clock';
import { hostRelease, METADATA_NETWORKS, type WorkerConfiguration } from '@proctor/config';
import type { Grant, Lease, LogChunk } from '@proctor/contracts';
import { SandboxedCanaries } from '@apps/worker/src/attempt/sandboxed-canaries';
import { SandboxedRunner } from '@apps/worker/src/attempt/sandboxed-runner';
import { detectMachine } from '@apps/worker/src/machine/machine';
import { runnerVersion } from '@apps/worker/src/machine/runner-version';
import type { Sandboxes } from '@apps/worker/src/sandbox/sandboxes';
import type { AttemptResult } from '@apps/worker/src/slot/ports';
import type { Backend } from '@apps/worker/src/testbed/backend';
import { buildBackends } from '@apps/worker/src/testbed/build-backends';
import { Testbeds } from '@apps/worker/src/testbed/testbeds';
import { hostArchitecture } from '@test/support/host-architecture';
import { leaseOf } from '@test/support/slot-rig';
import { imageCachePath, provideImage } from '@test/support/worker-images';

/** The part of a worker that executes attempts, on this very machine, without a bus. */
export interface TestMachine {
  workPath: string;
  runner: SandboxedRunner;
  canaries: SandboxedCanaries;
  testbeds: Testbeds;
  sandboxes: Sandboxes;
  /** The live log's chunks, as they were published and not yet purged. */
  chunks: LogChunk[];
  /** Resolves when the chunks that are published from now on hold the text. */
  untilLogged(text: string): Promise<void>;
  /** Chunks are on their way from now on, until the returned function is called. */
  holdChunks(): () => void;
  close(): Promise<void>;
}

const SILENT = { log: () => undefined, warn: () => undefined };

/** `images`: those that the machine finds in its work folder; by default the one of `unshare`, where that is
 * offered. `hidden`: what belongs to the deployment. */
export async function openMachine(
  overrides: Partial<WorkerConfiguration> = {},
  images: { backend: string; arch: string }[] = (overrides.backends ?? ['unshare']).includes('unshare')
    ? [{ backend: 'unshare', arch: hostArchitecture() }]
    : [],
  hidden: string[] = [],
): Promise<TestMachine> {
  const cache = imageCachePath();
  await mkdir(cache, { recursive: true });
  const workPath = await mkdtemp(join(cache, 'work-'));
  const removeFolder = () => rm(workPath, { recursive: true, force: true });
  try {
    await chmod(workPath, 0o755);
    for (const { backend, arch } of images) await provideImage(workPath, backend, arch);
    const machine = await openIn({ ...defaults(workPath), ...overrides }, hidden);
    const close = async () => {
      await machine.testbeds.close();
      await machine.sandboxes.drain();
      await removeFolder();
    };
    return { ...machine, close };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

async function openIn(
  configuration: WorkerConfiguration,
  hidden: string[],
): Promise<Omit<TestMachine, 'close'>> {
  const { workPath } = configuration;
  const machine = await detectMachine(configuration, 'runs', hidden);
  const { sandboxes } = machine;
  const backends = buildBackends({ worker: configuration }, machine, () => undefined);
  const testbeds = new Testbeds({
    backends,
    variants: { ...configuration.variants, [TREES]: ['sh', '-c', AUTOPKGTEST_OF_TREES, workPath] },
    sizeClasses: configuration.sizeClasses,
    privateRunsOnly: configuration.privateRunsOnly,
    sandboxes,
    versionOf: runnerVersion,
    clock: systemClock,
    log: SILENT,
    onChange: () => undefined,
  });
  await testbeds.open();
  const settings = () => ({ ...configuration, resultsPath: join(workPath, 'results') });
  const { appendLog, ...logs } = memoryLogs();
  const parts = { sandboxes, testbeds, settings, clock: systemClock, log: SILENT };
  const runner = new SandboxedRunner({ ...parts, appendLog });
  const canaries = new SandboxedCanaries(parts);
  return { workPath, runner, canaries, testbeds, sandboxes, ...logs };
}

/** Backends in the work folder of a machine that has none open. */
export async function backendsOn({ workPath }: TestMachine, names: string[]): Promise<Backend[]> {
  const worker = {
    workPath,
    architectures: [hostArchitecture()],
    suitesAtStart: [],
    suiteSources: {},
    backends: names,
    backendCommands: {},
    imageAgeMaxMs: 1,
    machineMayBeDestroyed: false,
  };
  return buildBackends({ worker }, await detectMachine(worker), () => undefined);
}

/** Live logs without a bus. */
function memoryLogs() {
  const chunks: LogChunk[] = [];
  const waiting: { text: string; seen: string; resolve: () => void }[] = [];
  let turn = Promise.resolve();
  const appendLog = async (_grant: Grant, chunk: LogChunk) => {
    const content = liveLog([chunk]);
    // The text may be cut between two chunks.
    for (const waiter of waiting) if ((waiter.seen += content).includes(waiter.text)) waiter.resolve();
    await turn;
    chunks.push(chunk);
  };
  const untilLogged = (text: string) =>
    new Promise<void>((resolve) => waiting.push({ text, seen: '', resolve }));
  const holdChunks = (): (() => void) => {
    let goOn: () => void = () => undefined;
    turn = new Promise((resolve) => (goOn = resolve));
    return goOn;
  };
  return { appendLog, chunks, untilLogged, holdChunks };
}

function defaults(workPath: string): WorkerConfiguration {
  return {
    name: 'test',
    slots: 1,
    networksReady: 1,
    architectures: [hostArchitecture()],
    suitesAtStart: [hostRelease() as string],
    backends: ['unshare'],
    backendCommands: {},
    sizeClasses: [],
    privateRunsOnly: false,
    variants: { autopkgtest: ['autopkgtest'], stub: [resolve('test/stub/autopkgtest-stub')] },
    workPath,
    runTmpfsBytes: 4 * 1024 ** 3,
    runOutputBytesMax: 1024 ** 3,
    runTimeoutMs: 600_000,
    runProcessesMax: 8192,
    timeouts: {},
    environment: {},
    freeDiskBytesMin: 1,
    freeInodesMin: 1,
    resultsWaitingMax: 100,
    answerWaitMs: 30_000,
    lowerEpochWaitMs: 15_000,
    freeMemoryBytesMin: 1,
    imageAgeMaxMs: 7 * 24 * 3_600_000,
    reportSourceNames: true,
    logHeadBytesMax: 1024 * 1024,
    logTailBytesMax: 256 * 1024,
    errorPatterns: [],
    artifactsBytesMax: 1024 * 1024,
    changelogBytesMax: 64 * 1024,
    machineMayBeDestroyed: true,
    visiblePaths: [],
    unreachableNetworks: METADATA_NETWORKS,
    metrics: { host: '127.0.0.1', port: 0 },
    suiteSources: {},
  };
}

/** The variant of a source tree: autopkgtest, with the tree of the package's name in the place of the package. */
const TREES = 'trees';
const AUTOPKGTEST_OF_TREES = `
  for each; do shift; [ -d "$0/$each/debian" ] && each=$0/$each; set -- "$@" "$each"; done
  exec autopkgtest "$@"`;

let lastRunId = 0;
let lastTree = 0;

/** A lease of `hello` on this machine's release and architecture. */
export function lease(overrides: Partial<Lease> = {}): Lease {
  const here = { suite: hostRelease() as string, arch: hostArchitecture() };
  return leaseOf(++lastRunId, { ...here, ...overrides });
}

/** A lease of a source tree in the work folder. */
export function leaseOfTree(tree: string, overrides: Partial<Lease> = {}): Lease {
  return lease({ package: basename(tree), variant: TREES, ...overrides });
}

/** A source tree with one test, a shell script. Returns its path. */
export async function sourceTree(workPath: string, script: string, restrictions = ''): Promise<string> {
  const tree = join(workPath, `tree-${++lastTree}`);
  const files: Record<string, string> = {
    'debian/changelog':
      'crafted (1.0-1) unstable; urgency=low\n\n  * Crafted.\n\n -- A Test <test@mirror.example>  Thu, 01 Jan 2026 00:00:00 +0000\n',
    'debian/control':
      'Source: crafted\nSection: misc\nPriority: optional\nMaintainer: A Test <test@mirror.example>\nStandards-Version: 4.6.2\n\n' +
      'Package: crafted\nArchitecture: all\nDescription: crafted for a test\n Nothing more.\n',
    'debian/tests/control': `Tests: crafted\nDepends:\n${restrictions ? `Restrictions: ${restrictions}\n` : ''}`,
    'debian/tests/crafted': script,
  };
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(tree, name)), { recursive: true });
    await writeFile(join(tree, name), content);
  }
  await chmod(join(tree, 'debian/tests/crafted'), 0o755);
  await chmod(tree, 0o755);
  return tree;
}

/** The log of a result as it will be stored. */
export async function storedLog(result: AttemptResult): Promise<string> {
  const file = result.files.find(({ name }) => name === 'log.gz');
  return file ? gunzipSync(await readFile(file.path)).toString('utf8') : '';
}

/** The live log as its readers see it. */
export function liveLog(chunks: LogChunk[]): string {
  return Buffer.concat(chunks.map(({ data }) => Buffer.from(data, 'base64'))).toString('utf8');
}
