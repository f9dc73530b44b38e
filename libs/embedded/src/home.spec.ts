import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Home } from './home';

it('a home that is closed to the user of the servers will do for who names a database elsewhere', async () => {
  const path = await mkdtemp(join(tmpdir(), 'proctor-home-'));
  await chmod(path, 0o700);
  try {
    const PROCTOR_DATABASE_URL = 'postgres://proctor@db.example.org/proctor';
    expect((await Home.findHome({ PROCTOR_HOME: path, PROCTOR_DATABASE_URL }, '/')).path).toBe(path);
  } finally {
    await rm(path, { recursive: true });
  }
});

describe('a folder that is not to be a home', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'proctor-home-'))));
  afterEach(() => rm(folder, { recursive: true }));

  it('keeps its mode when it holds what is not ours, and the error names that', async () => {
    await chmod(folder, 0o755);
    await writeFile(join(folder, 'letter.txt'), '');
    await expect(new Home(folder).prepare()).rejects.toThrow(
      `PROCTOR_HOME: ${folder} holds other things than Proctor's, such as letter.txt; choose a folder of its own, such as ${folder}/proctor`,
    );
    expect((await stat(folder)).mode & 0o777).toBe(0o755);
    expect(await readdir(folder)).toEqual(['letter.txt']);
  });

  it.each([['lost+found'], ['.cache'], ['postgresql']])('may well be one with %s in it', async (name) => {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name === 'postgresql' ? 'letter.txt' : '.letter'), '');
    await new Home(folder).prepare();
    expect(await readdir(folder)).toContain('secrets');
  });

  it('is refused below /proc, where Node.js would try forever', async () => {
    await expect(new Home('/proc/sys/a/b').prepare()).rejects.toThrow(
      'PROCTOR_HOME: /proc/sys/a/b lies in /proc/sys, where no files can be made; choose another folder',
    );
  });
});

describe('a home with other things in the places of its files', () => {
  let home: Home;
  beforeEach(async () => {
    home = new Home(await mkdtemp(join(tmpdir(), 'proctor-home-')));
    await home.prepare();
  });
  afterEach(() => rm(home.path, { recursive: true }));

  it('loses what stands where an earlier life has left notes', async () => {
    const notes = [home.lock, home.databaseUrl, home.processFile('api')];
    for (const path of notes) await mkdir(join(path, 'x'), { recursive: true });
    await symlink('/dev/zero', home.processFile('worker'));
    await home.prepare();
    for (const path of [...notes, home.processFile('worker')])
      expect([path, existsSync(path)]).toEqual([path, false]);
  });

  it.each(['admin.key', 'admin.password', 'secrets/postgres'])(
    'keeps a folder in the place of %s, and the error says what to type',
    async (name) => {
      const path = join(home.path, name);
      await mkdir(path);
      await expect(home.prepare()).rejects.toThrow(
        `${path} is no file; type mv ${path} ${path}.old, and the next start makes a new one`,
      );
      expect(existsSync(path)).toBe(true);
    },
  );

  it('keeps a file in the place of a folder, and the error says what to type', async () => {
    const path = join(home.path, 'processes');
    await rm(path, { recursive: true });
    await writeFile(path, '');
    await expect(home.prepare()).rejects.toThrow(
      `${path} is no folder, and one belongs there; type mv ${path}`,
    );
  });
});
