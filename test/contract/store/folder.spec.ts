import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
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
