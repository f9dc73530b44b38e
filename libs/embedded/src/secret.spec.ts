import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSecret } from './secret';

describe('secretIn', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'secret-'))));
  afterEach(() => rm(folder, { recursive: true }));

  it('a secret is made that no other user reads, and kept', async () => {
    const path = join(folder, 'a');
    const secret = await loadSecret(path);
    expect(secret).toMatch(/^[\w-]{32}$/);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await loadSecret(path)).toBe(secret);
    expect(await loadSecret(join(folder, 'b'))).not.toBe(secret);
  });

  it('an empty file does not count as a secret', async () => {
    await writeFile(join(folder, 'a'), '\n');
    await expect(loadSecret(join(folder, 'a'))).rejects.toThrow('is empty');
  });
});
