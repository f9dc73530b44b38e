import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunFolder } from '../sandbox/run-folder';
import { NotStarted } from '../slot/ports';
import { ImageBackend, type ImageBackendParts } from './image-backend';

let path: string;
beforeEach(async () => (path = await mkdtemp(join(tmpdir(), 'proctor-image-'))));
afterEach(() => rm(path, { recursive: true }));

it('a testbed names its image by the backend, suite, architecture and when it was built, and no path', async () => {
  await writeFile(join(path, 'sid-amd64.tar'), 'image');
  const usable = (suite: string) => (suite === 'sid' ? { mode: '', builtAt: 1_700_000_000_000 } : null);
  const backend = new ImageBackend({
    kind: { name: 'unshare', use: () => Promise.resolve({ options: [], server: ['unshare'] }) },
    executable: { interpretersOf: () => Promise.resolve([]) },
    images: { findUsable: usable },
    files: { imagePath: () => join(path, 'sid-amd64.tar') },
    hostApt: { settings: () => Promise.resolve([]) },
  } as unknown as ImageBackendParts);
  const folder = { path } as RunFolder;
  const { image } = await backend.use('sid', 'amd64', folder);
  expect(image).toEqual({ name: 'unshare/sid/amd64', builtAtMs: 1_700_000_000_000 });
  await expect(backend.use('trixie', 'amd64', folder)).rejects.toThrow(NotStarted);
});
