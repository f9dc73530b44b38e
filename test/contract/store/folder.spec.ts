import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { FolderStore } from '@proctor/store';
import { describeStore } from '../store.contract';
import type { StoreServer } from './server';

async function startFolder(): Promise<StoreServer> {
  const home = await mkdtemp(join(tmpdir(), 'proctor-store-'));
  const [path, aside] = [join(home, 'store'), join(home, 'aside')];
  let isCut = false;
  return {
    store: new FolderStore(path),
    names: async () =>
      (await readdir(path, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map((entry) => relative(path, join(entry.parentPath, entry.name))),
    // A file in the place of the folder refuses even root.
    cut: async () => {
      await rename(path, aside);
      await writeFile(path, '');
      isCut = true;
    },
    mend: async () => {
      if (!isCut) return;
      await rm(path);
      await rename(aside, path);
      isCut = false;
    },
    close: () => rm(home, { recursive: true, force: true }),
  };
}

describeStore('a folder', startFolder);

it('a store in a folder shows what it keeps to its owner and its group alone, whatever the umask', async () => {
  const path = await mkdtemp(join(tmpdir(), 'proctor-store-'));
  const umask = process.umask(0);
  try {
    const expected = { size: 4, sha256: createHash('sha256').update('text').digest('hex') };
    await new FolderStore(path).save(7, 1, 'log.gz', Readable.from([Buffer.from('text')]), expected);
    const paths = (await readdir(path, { recursive: true })).sort();
    const modes = await Promise.all(paths.map(async (name) => (await stat(join(path, name))).mode & 0o777));
    expect(modes).toEqual([0o750, 0o750, 0o750, 0o640]);
  } finally {
    process.umask(umask);
    await rm(path, { recursive: true });
  }
});

it('a store in a folder knows how much of its disk is free, also before it has a file, and leaves no empty folder behind', async () => {
  const home = await mkdtemp(join(tmpdir(), 'proctor-store-'));
  try {
    const store = new FolderStore(join(home, 'not/yet'));
    const space = await store.space();
    expect(space!.totalBytes).toBeGreaterThan(0);
    expect(space!.freeBytes).toBeLessThanOrEqual(space!.totalBytes);
    const expected = { size: 4, sha256: createHash('sha256').update('text').digest('hex') };
    await store.save(7, 1, 'log.gz', Readable.from([Buffer.from('text')]), expected);
    await store.removeFiles([{ runId: 7, attempt: 1, name: 'log.gz' }]);
    expect(await readdir(join(home, 'not/yet'))).toEqual([]);
  } finally {
    await rm(home, { recursive: true });
  }
});
