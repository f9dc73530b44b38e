import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '../../../../test/simulation/world/virtual-clock';
import { ImageFiles } from './image-files';
import { Images } from './images';

const SETTINGS = { ageMaxMs: 24 * 3_600_000, checkMs: 600_000, retryFirstMs: 60_000, retryMaxMs: 120_000 };

let path: string;
beforeEach(async () => (path = await mkdtemp(join(tmpdir(), 'images-'))));
afterEach(async () => rm(path, { recursive: true }));

interface Build {
  suite: string;
  done: () => void;
  fail: (error: Error) => void;
}

function makeImages(clock = new VirtualClock()) {
  const builds: Build[] = [];
  const said: string[] = [];
  const state = { recipe: 'recipe', wallClockMs: 0, changes: [] as (() => void)[] };
  const builder = {
    recipeOf: () => Promise.resolve(state.recipe),
    build: (suite: string, _arch: string, target: string, signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')));
        const done = () => void writeFile(target, `${suite} ${builds.length}`).then(resolve);
        builds.push({ suite, done, fail: reject });
        state.changes.splice(0).forEach((heard) => heard());
      }),
  };
  const log = { log: (line: string) => void said.push(line), warn: (line: string) => void said.push(line) };
  const changed = () => state.changes.splice(0).forEach((heard) => heard());
  const files = new ImageFiles(path);
  const images = new Images(files, builder, SETTINGS, clock, () => state.wallClockMs, log, changed);
  /** The next build that begins or ends. */
  const change = () => new Promise<void>((resolve) => state.changes.push(resolve));
  return { images, files, builds, said, state, clock, change };
}

it('builds one image at a time and says how far it is', async () => {
  const rig = makeImages();
  await rig.images.open();
  const begun = rig.change();
  rig.images.want('bookworm', 'amd64');
  rig.images.want('bookworm', 'amd64');
  rig.images.want('trixie', 'amd64');
  await begun;
  await rig.clock.runUntil(12_000);
  expect(rig.builds.map(({ suite }) => suite)).toEqual(['bookworm']);
  expect(rig.images.testbeds('amd64', 'unshare')).toEqual([
    { suite: 'bookworm', backend: 'unshare', state: 'building', detail: 'for 12 s' },
    { suite: 'trixie', backend: 'unshare', state: 'building', detail: 'it waits for another build' },
  ]);
  expect(rig.images.testbeds('i386', 'unshare')).toEqual([]);
  const ended = rig.change();
  rig.builds[0]?.done();
  await ended;
  expect(rig.images.isReady('bookworm', 'amd64')).toBe(true);
  expect(await readFile(rig.files.imagePath('bookworm', 'amd64'), 'utf8')).toBe('bookworm 1');
  expect(rig.said.slice(0, 2)).toEqual([
    'building the image bookworm/amd64',
    'image bookworm/amd64 is ready after 12 s',
  ]);
  await rig.images.close();
});

it('tries a build that failed again, later each time, and tells the reason meanwhile', async () => {
  const rig = makeImages();
  await rig.images.open();
  for (const [failures, pauseMs] of [0, 60_000, 120_000, 120_000].entries()) {
    const begun = rig.change();
    if (failures === 0) rig.images.want('bookworm', 'amd64');
    await rig.clock.runUntil(rig.clock.now() + pauseMs - 1);
    if (failures > 0) expect(rig.builds).toHaveLength(failures);
    await rig.clock.runUntil(rig.clock.now() + 1);
    await begun;
    const ended = rig.change();
    rig.builds[failures]?.fail(new Error('the mirror is away'));
    await ended;
    rig.images.want('bookworm', 'amd64');
    expect(rig.images.testbeds('amd64', 'unshare')).toEqual([
      { suite: 'bookworm', backend: 'unshare', state: 'failed', detail: 'the mirror is away' },
    ]);
  }
  await expect(access(rig.files.freshPath('bookworm', 'amd64'))).rejects.toThrow();
  await rig.images.close();
});

it('serves the old image while a newer one is built, and keeps it when that fails', async () => {
  const first = makeImages();
  await first.files.load();
  await writeFile(first.files.freshPath('bookworm', 'amd64'), 'old');
  await first.files.swapIn({ suite: 'bookworm', arch: 'amd64', builtAt: 0, recipe: 'recipe' });

  const rig = makeImages();
  rig.state.wallClockMs = SETTINGS.ageMaxMs + 1;
  const begun = rig.change();
  await rig.images.open();
  await begun;
  expect(rig.images.testbeds('amd64', 'unshare')).toEqual([
    { suite: 'bookworm', backend: 'unshare', state: 'ready' },
  ]);
  const ended = rig.change();
  rig.builds[0]?.fail(new Error('the mirror is away'));
  await ended;
  expect(rig.images.isReady('bookworm', 'amd64')).toBe(true);
  expect(await readFile(rig.files.imagePath('bookworm', 'amd64'), 'utf8')).toBe('old');
  await rig.images.close();
});

it.each([
  ['as it would be built now', 'recipe', 0],
  ['differently', 'another recipe', 1],
])('builds again what was built %s: %s', async (_how, recipe, builds) => {
  const first = makeImages();
  await first.files.load();
  await writeFile(first.files.freshPath('bookworm', 'amd64'), 'old');
  await first.files.swapIn({ suite: 'bookworm', arch: 'amd64', builtAt: 0, recipe });
  const rig = makeImages();
  await rig.images.open();
  await rig.clock.runUntil(1);
  expect(rig.builds).toHaveLength(builds);
  await rig.images.close();
});

it('ends the build under way when it is closed', async () => {
  const rig = makeImages();
  await rig.images.open();
  const begun = rig.change();
  rig.images.want('bookworm', 'amd64');
  await begun;
  await rig.images.close();
  expect(rig.images.isReady('bookworm', 'amd64')).toBe(false);
});
