import { chmod, link, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { hostRelease } from '@proctor/config';
import { Sandboxes } from '../../apps/worker/src/sandbox/sandboxes';
import { HostApt } from '../../apps/worker/src/testbed/host-apt/host-apt';
import { MmdebstrapBuilder } from '../../apps/worker/src/testbed/image-builder';
import type { ImageRecord } from '../../apps/worker/src/testbed/image-files';
import { hostArchitecture } from './host-architecture';

const AGE_MAX_MS = 24 * 3_600_000;

/** Where images stay between test runs: a place that the run user can reach, also when the tests run as root. */
export function imageCachePath(): string {
  const fallback = process.getuid?.() === 0 ? '/var/tmp/proctor-test-images' : resolve('.cache/images');
  return process.env['PROCTOR_TEST_IMAGES'] ?? fallback;
}

/**
 * Puts the image of this machine's release and architecture into a worker's work folder, as if the worker had built
 * it. The first caller builds it (half a minute); it is kept for a day. The folder must be on the cache's file system.
 */
export async function provideImage(workPath: string): Promise<void> {
  const cache = imageCachePath();
  await mkdir(cache, { recursive: true });
  await chmod(cache, 0o755);
  const name = `${hostRelease()}-${hostArchitecture()}`;
  if (!(await isFresh(join(cache, `${name}.json`)))) await build(cache, name);
  await mkdir(join(workPath, 'images'), { recursive: true });
  for (const file of [`${name}.tar`, `${name}.json`])
    await link(join(cache, file), join(workPath, 'images', file));
}

async function isFresh(json: string): Promise<boolean> {
  try {
    const { builtAt } = JSON.parse(await readFile(json, 'utf8')) as ImageRecord;
    return Date.now() - builtAt < AGE_MAX_MS;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** In a folder of its own: another test may be building the same. */
async function build(cache: string, name: string): Promise<void> {
  const folder = await mkdtemp(join(cache, 'build-'));
  try {
    await chmod(folder, 0o755);
    const sandboxes = new Sandboxes(folder);
    await sandboxes.detect();
    const builder = new MmdebstrapBuilder(sandboxes, new HostApt({}, join(folder, 'keys')));
    const suite = hostRelease() as string;
    const arch = hostArchitecture();
    const image = join(folder, `${name}.tar`);
    await builder.build(suite, arch, image, new AbortController().signal);
    const record: ImageRecord = {
      suite,
      arch,
      builtAt: Date.now(),
      recipe: await builder.recipeOf(suite, arch),
    };
    await writeFile(join(folder, `${name}.json`), JSON.stringify(record));
    for (const file of [`${name}.tar`, `${name}.json`]) await rename(join(folder, file), join(cache, file));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
