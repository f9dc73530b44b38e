import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigurationFolder } from '@test/support/configuration-folder';
import { ConfigurationWatcher, type WatcherSettings } from './configuration-watcher';
import { FolderContent } from './folder';
import { LiveConfiguration, type Reload } from './live-configuration';

const HOUR_MS = 3_600_000;
/** Long enough that a test which waits for it fails. */
const NEVER: WatcherSettings = { quietMs: HOUR_MS, vanishedQuietMs: HOUR_MS, pollMs: HOUR_MS };
const HELLO = 'hello: { "*": { "*": { 1.0-1: "" } } }';

const folder = new ConfigurationFolder();
let live: LiveConfiguration;
let watcher: ConfigurationWatcher;
let reloads: Reload[];
let arrived: () => void;

afterEach(() => watcher.close());

async function follow(settings: Partial<WatcherSettings>): Promise<void> {
  live = await LiveConfiguration.load(['rejectList'], folder.env);
  reloads = [];
  const onReload = (reload: Reload) => {
    reloads.push(reload);
    arrived?.();
  };
  watcher = new ConfigurationWatcher(live, onReload, { ...NEVER, ...settings });
}

/** The result of the n-th change; 1 is the first. */
async function reloaded(count: number): Promise<Reload> {
  while (reloads.length < count) await new Promise<void>((resolve) => (arrived = resolve));
  return reloads[count - 1] as Reload;
}

const texts = (reload: Reload) =>
  reload.kind === 'applied' ? reload.changes.map(({ text }) => text) : reload.problems;

it('a folder that is followed is read when a file in it changes', async () => {
  await follow({ quietMs: 20 });
  await folder.write('reject-list.yaml', HELLO);
  expect(texts(await reloaded(1))).toEqual(['reject-list.yaml: added hello */* 1.0-1']);
  await folder.write('reject-list.yaml', 'hello: 1');
  expect(await reloaded(2)).toMatchObject({ kind: 'refused' });
  expect(live.rejectList).toHaveProperty('hello');
  await folder.write('reject-list.yaml.new', `${HELLO}\nworld: { sid: { "*": { "*": "" } } }`);
  await rename(join(folder.path, 'reject-list.yaml.new'), join(folder.path, 'reject-list.yaml'));
  expect(texts(await reloaded(3))).toEqual(['reject-list.yaml: added world sid/* *']);
});

it('a folder is not taken while a file is empty or gone for a moment, as editors leave it', async () => {
  await folder.write('reject-list.yaml', HELLO);
  await follow({ quietMs: 5 });
  const hasty = await LiveConfiguration.load(['rejectList'], folder.env);
  let hastyTook = (): void => undefined;
  const hasTaken = new Promise<void>((resolve) => (hastyTook = resolve));
  const control = new ConfigurationWatcher(hasty, hastyTook, { ...NEVER, quietMs: 5, vanishedQuietMs: 5 });
  await folder.write('reject-list.yaml', '');
  await hasTaken;
  await control.close();
  expect(reloads).toEqual([]);
  await folder.write('reject-list.yaml', `${HELLO}\nworld: { sid: { "*": { "*": "" } } }`);
  expect(texts(await reloaded(1))).toEqual(['reject-list.yaml: added world sid/* *']);
});

it.each([
  [
    'another folder takes its place',
    async () => {
      await mkdir(`${folder.path}-new`);
      await writeFile(join(`${folder.path}-new`, 'reject-list.yaml'), HELLO);
      await rename(folder.path, `${folder.path}-old`);
      await rename(`${folder.path}-new`, folder.path);
    },
  ],
  [
    'a file is a link whose target changes',
    async () => {
      await writeFile(join(folder.path, '../target'), HELLO);
      await symlink('../target', join(folder.path, 'reject-list.yaml'));
    },
  ],
])('a folder is polled for changes: %s', async (_what, change) => {
  await follow({ quietMs: 5, vanishedQuietMs: 5, pollMs: 20 });
  await change();
  await reloaded(1);
  while (!('hello' in live.rejectList)) await reloaded(reloads.length + 1);
  await writeFile(join(folder.path, '../target'), '');
  await folder.write('reject-list.yaml', '{}');
  while ('hello' in live.rejectList) await reloaded(reloads.length + 1);
});

it('a watcher reports nothing while nothing changes', async () => {
  const readSpy = jest.spyOn(FolderContent, 'read');
  try {
    await follow({ quietMs: 1, pollMs: 1 });
    let reads = readSpy.mock.results;
    while (reads.length < 5) {
      await reads.at(-1)?.value;
      await new Promise(setImmediate);
      reads = readSpy.mock.results;
    }
    await folder.write('notes.txt', 'no file of ours');
    await watcher.close();
    expect(reloads).toEqual([]);
  } finally {
    readSpy.mockRestore();
  }
});
