import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Home } from './home';
import { mendMode, mendReadable, prepareFolder, replaceFile } from './owned-files';

let folder: string;
let before: number;
const at = (...names: string[]): string => join(folder, ...names);
const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o7777).toString(8);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'owned-files-'));
  before = process.umask();
});
afterEach(async () => {
  process.umask(before);
  await rm(folder, { recursive: true });
});

describe.each([0o000, 0o027, 0o077])('with the umask %o', (umask) => {
  beforeEach(() => process.umask(umask));

  it('a file has the mode that is stated, also in the place of another one', async () => {
    await writeFile(at('old'), 'open', { mode: 0o666 });
    await chmod(at('old'), 0o666);
    for (const name of ['new', 'old']) {
      await replaceFile(at(name), 'text', 0o600);
      expect([name, await modeOf(at(name))]).toEqual([name, '600']);
      await replaceFile(at(name), 'text', 0o644);
      expect([name, await modeOf(at(name))]).toEqual([name, '644']);
    }
  });

  it('a folder has the mode that is stated', async () => {
    await prepareFolder(at('home'), 0o711, null);
    expect(await modeOf(at('home'))).toBe('711');
  });

  it('a home that was spoiled is mended', async () => {
    const home = new Home(at('home'));
    await home.prepare();
    const secretFiles = [home.adminKey, home.adminPassword, home.secret('postgres'), home.databaseUrl];
    await mkdir(home.natsUsers);
    const folders = [home.path, home.natsUsers];
    for (const path of [...secretFiles, home.lock, home.processFile('api')]) await writeFile(path, '');
    for (const spoiled of [0o777, 0o700]) {
      for (const path of [...secretFiles, home.lock, home.processFile('api'), ...folders])
        await chmod(path, spoiled);
      await home.prepare();
      for (const path of secretFiles) expect([path, await modeOf(path)]).toEqual([path, '600']);
      for (const path of [home.lock, home.processFile('api')]) expect(await modeOf(path)).toBe('644');
      expect(await Promise.all(folders.map(modeOf))).toEqual(['711', '700']);
    }
  });

  it('programs become readable for all, and only their owner can change them', async () => {
    await mkdir(at('programs/bin'), { recursive: true });
    for (const [name, mode] of [
      ['bin/run', 0o700],
      ['bin/text', 0o666],
    ] as const) {
      await writeFile(at('programs', name), '');
      await chmod(at('programs', name), mode);
    }
    await chmod(at('programs/bin'), 0o700);
    await mendReadable(at('programs'));
    await mendReadable(at('absent'));
    const names = ['programs/bin', 'programs/bin/run', 'programs/bin/text'];
    expect(await Promise.all(names.map((name) => modeOf(at(name))))).toEqual(['755', '755', '644']);
  });
});

it('what a link points to is not mended, and neither is what is not there', async () => {
  await writeFile(at('of another'), '');
  await chmod(at('of another'), 0o666);
  await symlink(at('of another'), at('link'));
  for (const name of ['link', 'absent']) await mendMode(at(name), 0o600);
  expect(await modeOf(at('of another'))).toBe('666');
});

it('a folder of another user is named, with what to type', async () => {
  // No user can change its mode, not even root.
  await expect(prepareFolder('/proc/sys', 0o711, null)).rejects.toThrow(
    /^\/proc\/sys belongs to another user: type chown -R \d+ \/proc\/sys as root, or start as the user who owns it$/,
  );
});
