import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ChangelogWatch } from './changelog-watch';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'changelog-'));
});
afterEach(async () => rm(folder, { recursive: true }));

const TEXT =
  'hello (2.10-3) unstable; urgency=low\n\n  * New.\n\n -- A <a@b.example>  Thu, 01 Jan 2026 00:00:00 +0000\n';

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

/** A watch that checks when the test says so. */
function makeWatch(changelogBytesMax = 1_000) {
  let action: (() => void) | null = null;
  let settle = (): void => undefined;
  const clock = {
    now: () => 0,
    after: (_ms: number, next: () => void) => {
      action = next;
      settle();
      return () => {
        action = null;
        settle();
      };
    },
  };
  const warn = jest.fn();
  const watch = new ChangelogWatch(folder, changelogBytesMax, clock, { log: warn, warn });
  watch.start();
  const check = async (): Promise<void> => {
    const next = action!;
    await new Promise<void>((resolve) => {
      settle = resolve;
      next();
    });
  };
  return { watch, warn, check, isWaiting: () => action !== null };
}

const saved = (): Promise<string> => readFile(join(folder, 'testpkg-changelog'), 'utf8');

it('the changelog of the tested source is saved beside the other files, though the runner removes its tree', async () => {
  const { watch, check, isWaiting, warn } = makeWatch();
  await check();
  await put('tests-tree/debian/changelog', TEXT.slice(0, 20));
  await check();
  await put('tests-tree/debian/changelog', TEXT);
  await check();
  expect(isWaiting()).toBe(true);
  await check();
  expect(isWaiting()).toBe(false);
  await rm(join(folder, 'tests-tree'), { recursive: true });
  await watch.save();
  expect(await saved()).toBe(TEXT);
  expect(warn).not.toHaveBeenCalled();
});

it('what was read last is saved when the runner ends early', async () => {
  const { watch, check } = makeWatch();
  await put('tests-tree/debian/changelog', TEXT);
  await check();
  await rm(join(folder, 'tests-tree'), { recursive: true });
  await check();
  watch.stop();
  await watch.save();
  expect(await saved()).toBe(TEXT);
});

it('only the beginning of a long changelog is read, and nothing with a limit of 0', async () => {
  await put('tests-tree/debian/changelog', TEXT.repeat(100));
  const { watch, check } = makeWatch(30);
  await check();
  await watch.save();
  expect(await saved()).toBe(TEXT.slice(0, 30));
  expect(makeWatch(0).isWaiting()).toBe(false);
});

it.each(['tests-tree', 'tests-tree/debian', 'tests-tree/debian/changelog'])(
  'no link is followed out of the source: %s',
  async (link) => {
    await put(join('elsewhere', 'tests-tree/debian/changelog'), TEXT);
    await mkdir(dirname(join(folder, link)), { recursive: true });
    await symlink(join(folder, 'elsewhere', link), join(folder, link));
    const { watch, check } = makeWatch();
    await check();
    await watch.save();
    expect(await readdir(folder)).not.toContain('testpkg-changelog');
  },
);

it('a file of the same name that the runner has left stays as it is', async () => {
  await put('tests-tree/debian/changelog', TEXT);
  await put('testpkg-changelog', 'its own');
  const { watch, check, warn } = makeWatch();
  await check();
  await watch.save();
  expect(await saved()).toBe('its own');
  expect(warn).toHaveBeenCalledTimes(1);
});
