import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IMAGE_RECORD as RECORD, IMAGE_SETTINGS as SETTINGS, imagesRig } from '@test/support/images-rig';
import { VirtualClock } from '@test/simulation/world/virtual-clock';

let path: string;
beforeEach(async () => (path = await mkdtemp(join(tmpdir(), 'images-'))));
afterEach(async () => rm(path, { recursive: true }));

const makeImages = (clock?: VirtualClock, settings?: typeof SETTINGS) => imagesRig(path, clock, settings);

it('the worker builds one image at a time and says how far it is', async () => {
  const rig = makeImages();
  await rig.images.open();
  const start = rig.change();
  rig.images.requestImage('bookworm', 'amd64');
  rig.images.requestImage('bookworm', 'amd64');
  rig.images.requestImage('trixie', 'amd64');
  await start;
  rig.builds[0]?.onStage(2, 'fetching the base system');
  await rig.clock.runUntil(12_000);
  expect(rig.builds.map(({ suite }) => suite)).toEqual(['bookworm']);
  expect(rig.images.testbeds('amd64', 'unshare')).toEqual([
    {
      suite: 'bookworm',
      backend: 'unshare',
      state: 'building',
      detail: 'for 12 s, stage 2 of 7: fetching the base system',
    },
    { suite: 'trixie', backend: 'unshare', state: 'building', detail: 'it waits for another build' },
  ]);
  expect(rig.images.testbeds('i386', 'unshare')).toEqual([]);
  const change = rig.change();
  rig.builds[0]?.done();
  await change;
  expect(rig.images.findUsable('bookworm', 'amd64')?.mode).toBe('fast');
  expect(await readFile(rig.files.imagePath('bookworm', 'amd64'), 'utf8')).toBe('bookworm 1');
  expect(rig.trials).toEqual(['bookworm: bookworm 1']);
  expect(rig.lines.slice(0, 4)).toEqual([
    'building the image bookworm/amd64',
    'image bookworm/amd64, stage 2 of 7: fetching the base system (0 s)',
    'image bookworm/amd64, stage 7 of 7: running a test in it (12 s)',
    'image bookworm/amd64 is ready after 12 s',
  ]);
  await rig.images.close();
});

it('a build that failed is tried again, later each time, and its reason is shown meanwhile', async () => {
  const rig = makeImages();
  await rig.images.open();
  for (const [failures, pauseMs] of [0, 60_000, 120_000, 120_000].entries()) {
    const start = rig.change();
    if (failures === 0) rig.images.requestImage('bookworm', 'amd64');
    await rig.clock.runUntil(rig.clock.now() + pauseMs - 1);
    if (failures > 0) expect(rig.builds).toHaveLength(failures);
    await rig.clock.runUntil(rig.clock.now() + 1);
    await start;
    const change = rig.change();
    rig.builds[failures]?.fail(new Error('the mirror is away'));
    await change;
    rig.images.requestImage('bookworm', 'amd64');
    expect(rig.images.testbeds('amd64', 'unshare')).toEqual([
      { suite: 'bookworm', backend: 'unshare', state: 'failed', detail: 'the mirror is away' },
    ]);
  }
  await expect(access(rig.files.freshPath('bookworm', 'amd64'))).rejects.toThrow();
  await rig.images.close();
});

it('the old image is served while a newer one is built, and is kept when that fails', async () => {
  const first = makeImages();
  await first.files.load();
  await writeFile(first.files.freshPath('bookworm', 'amd64'), 'old');
  await first.files.replace(RECORD);

  const rig = makeImages();
  rig.state.wallClockMs = SETTINGS.ageMaxMs + 1;
  const start = rig.change();
  await rig.images.open();
  await start;
  expect(rig.images.testbeds('amd64', 'unshare')).toEqual([
    { suite: 'bookworm', backend: 'unshare', state: 'ready' },
  ]);
  const change = rig.change();
  rig.builds[0]?.fail(new Error('the mirror is away'));
  await change;
  expect(rig.images.findUsable('bookworm', 'amd64')?.mode).toBe('');
  expect(await readFile(rig.files.imagePath('bookworm', 'amd64'), 'utf8')).toBe('old');
  await rig.images.close();
});

it.each([
  ['as it would be built now', 'recipe', 0],
  ['differently', 'another recipe', 1],
])('an image that was built %s (%s) is built again %i times', async (_how, recipe, builds) => {
  const first = makeImages();
  await first.files.load();
  await writeFile(first.files.freshPath('bookworm', 'amd64'), 'old');
  await first.files.replace({ ...RECORD, recipe });
  const rig = makeImages();
  await rig.images.open();
  await rig.clock.runUntil(1);
  expect(rig.builds).toHaveLength(builds);
  await rig.images.close();
});

it.each([['another'], [undefined]])(
  'an image of a release that gave it other things (%s) is not used, also while no other can be built',
  async (definition) => {
    const first = makeImages();
    await first.files.load();
    await writeFile(first.files.freshPath('bookworm', 'amd64'), 'old');
    const { definition: _own, ...others } = RECORD;
    await first.files.replace(definition === undefined ? others : { ...others, definition });
    const rig = makeImages();
    const start = rig.change();
    await rig.images.open();
    await start;
    expect(rig.images.findUsable('bookworm', 'amd64')).toBeNull();
    const change = rig.change();
    rig.builds[0]?.fail(new Error('the mirror is away'));
    await change;
    expect(rig.images.testbeds('amd64', 'unshare')).toMatchObject([{ state: 'failed' }]);
    expect(rig.images.findUsable('bookworm', 'amd64')).toBeNull();
    await rig.images.close();
  },
);

it('the build under way ends when the images are closed', async () => {
  const rig = makeImages();
  await rig.images.open();
  const start = rig.change();
  rig.images.requestImage('bookworm', 'amd64');
  await start;
  await rig.images.close();
  expect(rig.images.findUsable('bookworm', 'amd64')).toBeNull();
});

/** An image that an earlier life of the worker built. */
async function makeOld(overrides: Partial<typeof RECORD> = {}): Promise<void> {
  const { files } = makeImages();
  await files.load();
  await writeFile(files.freshPath('bookworm', 'amd64'), 'old');
  await files.replace({ ...RECORD, ...overrides });
}

it.each([
  ['has published something new', 'release 2', 1],
  ['is as it was', 'release 1', 0],
  ['does not answer', null, 0],
])('the worker looks at the archive now and then, which %s', async (_what, release, builds) => {
  await makeOld();
  const rig = makeImages();
  await rig.images.open();
  rig.state.release = release;
  await rig.clock.runUntil(SETTINGS.checkMs);
  for (let turn = 0; turn < 10; turn += 1) await rig.clock.runUntil(rig.clock.now() + 1);
  expect(rig.builds).toHaveLength(builds);
  await rig.images.close();
});

it('an image on which no test passes is not used, and the one before it is kept', async () => {
  await makeOld();
  const rig = makeImages();
  Object.assign(rig.state, { wallClockMs: SETTINGS.ageMaxMs + 1, defect: 'it does not boot' });
  const start = rig.change();
  await rig.images.open();
  await start;
  const change = rig.change();
  rig.builds[0]?.done();
  await change;
  expect(rig.lines.at(-1)).toMatch(/^image bookworm\/amd64 could not be made: it does not boot \(next try/);
  expect(await readFile(rig.files.imagePath('bookworm', 'amd64'), 'utf8')).toBe('old');
  expect(rig.images.findUsable('bookworm', 'amd64')?.mode).toBe('');
  await rig.images.close();
});

it('an image of an earlier boot is proved again before it is used', async () => {
  await makeOld({ provedBoot: 'an earlier boot' });
  const rig = makeImages();
  const proved = rig.change();
  await rig.images.open();
  expect(rig.images.findUsable('bookworm', 'amd64')).toBeNull();
  await proved;
  expect(rig.images.findUsable('bookworm', 'amd64')?.mode).toBe('fast');
  expect(rig.builds).toEqual([]);
  expect(await rig.files.list()).toEqual([{ ...RECORD, mode: 'fast' }]);
  await rig.images.close();
});

it('an image of an earlier boot that no longer works is built again', async () => {
  await makeOld({ provedBoot: 'an earlier boot' });
  const rig = makeImages();
  rig.state.defect = 'the kernel was changed';
  const change = rig.change();
  await rig.images.open();
  await change;
  rig.state.defect = null;
  const start = rig.change();
  await rig.clock.runUntil(rig.clock.now() + SETTINGS.retryFirstMs);
  await start;
  expect(rig.builds).toHaveLength(1);
  await rig.images.close();
});

it('an old image whose build failed is not built again before its pause is over', async () => {
  const rig = makeImages(new VirtualClock(), { ...SETTINGS, retryFirstMs: 3_600_000, retryMaxMs: 3_600_000 });
  await writeFile(join(path, 'bookworm-amd64.json'), JSON.stringify(RECORD));
  await writeFile(rig.files.imagePath('bookworm', 'amd64'), 'image');
  rig.state.wallClockMs = SETTINGS.ageMaxMs + 1;
  const start = rig.change();
  await rig.images.open();
  await start;
  const change = rig.change();
  rig.builds[0]?.fail(new Error('the mirror is away'));
  await change;
  await rig.clock.runUntil(3_600_000 - 1);
  expect(rig.builds).toHaveLength(1);
  const again = rig.change();
  await rig.clock.runUntil(3_600_000);
  await again;
  expect(rig.builds).toHaveLength(2);
  await rig.images.close();
});

it('images are built on after one whose rest could not be removed', async () => {
  const rig = makeImages();
  await rig.images.open();
  jest.spyOn(rig.files, 'removeFresh').mockRejectedValueOnce(new Error('the disk is read-only'));
  const start = rig.change();
  rig.images.requestImage('bookworm', 'amd64');
  rig.images.requestImage('trixie', 'amd64');
  await start;
  const change = rig.change();
  rig.builds[0]?.fail(new Error('the mirror is away'));
  await change;
  const next = rig.change();
  await next;
  expect(rig.builds.map(({ suite }) => suite)).toEqual(['bookworm', 'trixie']);
  expect(rig.lines.filter((line) => line.includes('bookworm')).slice(1)).toEqual([
    'what a build of the image bookworm/amd64 has left is not removed: the disk is read-only',
    'image bookworm/amd64 could not be made: the mirror is away (next try in 60 s)',
  ]);
  await rig.images.close();
});

it('an image is as new as the last look at its archive that found it unchanged', async () => {
  const rig = makeImages();
  await rig.images.open();
  const start = rig.change();
  rig.images.requestImage('bookworm', 'amd64');
  await start;
  expect(rig.images.listSeen()).toEqual([]);
  await rig.clock.runUntil(30_000);
  const change = rig.change();
  rig.builds[0]?.done();
  await change;
  const imageOfAge = (ageMs: number) => [{ suite: 'bookworm', arch: 'amd64', builtAt: 0, ageMs }];
  expect(rig.images.listSeen()).toEqual(imageOfAge(30_000));
  await rig.clock.runUntil(700_000);
  expect(rig.images.listSeen()).toEqual(imageOfAge(100_000));
  rig.state.release = null;
  await rig.clock.runUntil(1_900_000);
  expect(rig.images.listSeen()).toEqual(imageOfAge(1_300_000));
});
