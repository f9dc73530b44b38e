import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { access, chmod, link, mkdir, mkdtemp, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { hostRelease } from '@proctor/config';
import { detectMachine, type Machine } from '@apps/worker/src/machine/machine';
import { currentBoot } from '@apps/worker/src/machine/proofs';
import { buildBackends, KINDS } from '@apps/worker/src/testbed/build-backends';
import { HostApt } from '@apps/worker/src/testbed/host-apt/host-apt';
import { loadArchiveState } from '@apps/worker/src/testbed/images/archive-state';
import type { ImageRecord } from '@apps/worker/src/testbed/images/image-files';
import { fingerprint, imageRecipe } from '@apps/worker/src/testbed/images/image-recipe';
import { STANDARD_HOOKS } from '@apps/worker/src/testbed/images/standard-root';
import type { TestbedKind } from '@apps/worker/src/testbed/kinds/testbed-kind';
import { hostArchitecture } from './host-architecture';

const AGE_MAX_MS = 24 * 3_600_000;
/** Folders with the code that builds, tries and proves images, from the project's folder. */
const BUILDERS = ['apps/worker/src', 'libs/process/src'];
const PROJECT = join(__dirname, '../..');
/** The backend whose image has only the usual packages. Images with the same packages are built on it. */
const BASE = 'unshare';

/** How long the hook of a test may take that builds images: others may be built first. */
export const BUILD_LIMIT_MS = 1_800_000;

/** The folder in which images stay between test runs. The run user must reach it, also if root runs the tests. */
export function imageCachePath(): string {
  const fallback = process.getuid?.() === 0 ? '/var/tmp/proctor-test-images' : resolve('.cache/images');
  return process.env['PROCTOR_TEST_IMAGES'] ?? fallback;
}

/**
 * Puts a backend's image of this machine's release into a worker's work folder, as if the worker had built it. The
 * first caller builds it (half a minute), others wait for it; it is kept for a day, until the machine is booted again, the archive
 * has something new, the image would be built in another way or the code that builds and proves images changes. The folder must be
 * on the cache's file system.
 */
export async function provideImage(
  workPath: string,
  backend = BASE,
  arch = hostArchitecture(),
): Promise<void> {
  const { cache, name } = await cachedImage(backend, arch);
  const target = join(workPath, 'images', backend);
  await mkdir(target, { recursive: true });
  for (const file of (await readdir(cache)).filter((file) => file.startsWith(name)))
    await link(join(cache, file), join(target, file));
}

/** Builds the image of `unshare` before the tests of this file, so that no test's time limit has to cover that. */
export function prepareImage(): void {
  beforeAll(() => buildImage(BASE), BUILD_LIMIT_MS);
}

/** Builds an image of this machine's release and architecture, unless there is one that can be used. */
export async function buildImage(backend: string): Promise<void> {
  await cachedImage(backend, hostArchitecture());
}

/** Returns the folder of an image, and the first part of its files' names. Builds it if there is none that can be used. */
async function cachedImage(backend: string, arch: string): Promise<{ cache: string; name: string }> {
  const builders = await digestOfBuilders();
  const cache = join(imageCachePath(), `${backend}-${builders}`);
  await mkdir(cache, { recursive: true });
  await removeOldCaches(builders);
  for (const path of [imageCachePath(), cache]) await chmod(path, 0o755);
  const name = `${hostRelease()}-${arch}.`;
  const isUsable = async () => isFresh(join(cache, name), await wantedImage(backend, arch));
  if (await isUsable()) return { cache, name };
  await whileLocked(join(cache, `lock-${arch}`), async () => {
    if (!(await isUsable())) await build(cache, backend, arch);
  });
  return { cache, name };
}

/** Executes the action while no other process executes one with the same lock file. */
async function whileLocked(path: string, action: () => Promise<void>): Promise<void> {
  // The holder ends with its input: also when this process is killed.
  const holder = spawn('flock', [path, 'sh', '-c', 'echo held; exec cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const end = once(holder, 'close');
  const failure = end.then(([code]) => {
    throw new Error(`flock ${path} ended with exit code ${code}`);
  });
  await Promise.race([once(holder.stdout, 'data'), failure]);
  try {
    await action();
  } finally {
    holder.stdin.end();
    await end;
  }
}

/** Changes with each file of the code that builds images, this one and no specs: a fault there is not hidden by an image of older code. */
async function digestOfBuilders(): Promise<string> {
  const digest = createHash('sha256').update(await readFile(__filename));
  for (const folder of BUILDERS) {
    const files = await readdir(join(PROJECT, folder), { recursive: true });
    for (const file of files.filter((name) => /(?<!\.spec)\.ts$/.test(name)).sort())
      digest.update(`${folder}/${file}\0`).update(await readFile(join(PROJECT, folder, file)));
  }
  return digest.digest('hex').slice(0, 12);
}

/** Removes the caches of other versions of the code in which nothing has been built for the lifetime of an image. */
async function removeOldCaches(builders: string): Promise<void> {
  for (const name of await readdir(imageCachePath())) {
    if (!/^[a-z]+-[0-9a-f]{12}$/.test(name) || name.endsWith(builders)) continue;
    const path = join(imageCachePath(), name);
    if (Date.now() - (await changedAt(path)) > AGE_MAX_MS) await rm(path, { recursive: true, force: true });
  }
}

/** Now, of what another test has just removed. */
async function changedAt(path: string): Promise<number> {
  const status = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  return status?.mtimeMs ?? Date.now();
}

/**
 * The recipe and archive of the image that a worker needs. With an image of another recipe or an older archive, a
 * worker would build its own during the test.
 */
async function wantedImage(backend: string, arch: string): Promise<Pick<ImageRecord, 'recipe' | 'release'>> {
  const kind = kindOf(backend);
  const suite = hostRelease() as string;
  const apt = new HostApt({}, '/keys');
  const [sources, settings] = await Promise.all([apt.sourcesOf(suite), apt.settings()]);
  const recipe = fingerprint(imageRecipe(suite, arch, kind.image, sources, settings));
  return { recipe, release: await loadArchiveState(sources.lines, settings) };
}

function kindOf(backend: string): TestbedKind {
  const kind = KINDS.find(({ name }) => name === backend);
  if (!kind) throw new Error(`there are no images for ${backend}`);
  return kind;
}

async function isFresh(
  image: string,
  wantedRecord: Pick<ImageRecord, 'recipe' | 'release'>,
): Promise<boolean> {
  try {
    const [json] = await Promise.all([readFile(`${image}json`, 'utf8'), access(`${image}sources.gz`)]);
    const { builtAt, provedBoot, recipe, release } = JSON.parse(json) as ImageRecord;
    const isOfToday = Date.now() - builtAt < AGE_MAX_MS && provedBoot === (await currentBoot());
    const isOfNow = wantedRecord.release === null || release === wantedRecord.release;
    return isOfToday && isOfNow && recipe === wantedRecord.recipe;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Builds in a folder of its own: an image in the cache can be used at any time. */
async function build(cache: string, name: string, arch: string): Promise<void> {
  const workPath = await mkdtemp(join(cache, 'build-'));
  try {
    await chmod(workPath, 0o755);
    const worker = {
      workPath,
      architectures: [arch],
      suitesAtStart: [hostRelease() as string],
      suiteSources: {},
      backends: [name],
      backendCommands: {},
      imageAgeMaxMs: AGE_MAX_MS,
      machineMayBeDestroyed: false,
    };
    const base = await baseOf(name, arch);
    const machine = await detectMachine({ ...worker, visiblePaths: base === null ? [] : [base] });
    if (base !== null) buildOn(base, machine);
    let onChange = (): void => undefined;
    const change = new Promise<void>((resolve) => (onChange = resolve));
    const [backend] = buildBackends({ worker }, machine, onChange);
    if (!backend) throw new Error(`there is no backend ${name}`);
    const reason = await backend.detect();
    if (reason !== null) throw new Error(`the backend ${name} does not work here: ${reason}`);
    await backend.open();
    await change;
    const [testbed] = backend.testbeds(arch);
    await backend.close();
    if (testbed?.state !== 'ready') throw new Error(`no image for ${name}: ${testbed?.detail}`);
    const built = join(workPath, 'images', name);
    // The record comes last: with it, the image counts as whole.
    const isRecord = (file: string) => Number(file.endsWith('.json'));
    const files = (await readdir(built)).sort((one, other) => isRecord(one) - isRecord(other));
    for (const file of files) await rename(join(built, file), join(cache, file));
  } finally {
    await rm(workPath, { recursive: true, force: true });
  }
}

/** Path of the image on which the backend's is built; null: it is built from nothing, as workers do. */
async function baseOf(backend: string, arch: string): Promise<string | null> {
  if (backend === BASE || kindOf(backend).image.packages(arch).length > 0) return null;
  const { cache, name } = await cachedImage(BASE, arch);
  return join(cache, `${name}tar`);
}

/** Makes the machine's mmdebstrap start with the system in a tar file: its packages are not installed again. */
function buildOn(system: string, { sandboxes }: Machine): void {
  const start = sandboxes.start.bind(sandboxes);
  const quoted = system.replaceAll("'", "'\\''");
  sandboxes.start = (folder, use) => {
    const [tool = '', ...args] = use.command;
    if (tool !== 'mmdebstrap') return start(folder, use);
    const inBase = ['--variant=minbase', ...STANDARD_HOOKS.map((hook) => `--customize-hook=${hook}`)];
    const rest = args.filter((arg) => !inBase.includes(arg) && !arg.startsWith('--include='));
    const unpack = `tar --extract --numeric-owner --exclude='./dev/*' --directory="$1" --file='${quoted}'`;
    const command = [tool, '--variant=custom', '--skip=update', `--setup-hook=${unpack}`, ...rest];
    return start(folder, { ...use, command });
  };
}
