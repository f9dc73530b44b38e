import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Home } from '@proctor/embedded';
import { BackupFolder, CheckedBackup } from './backup-folder';
import { restoreConfiguration, restoreHomeFiles, saveHomeFiles } from './home-files';

const OTHER_USER = 65_534;
const isRoot = process.getuid?.() === 0;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proctor-home-files-'));
  await chmod(folder, 0o755);
  await mkdir(join(folder, 'etc/nats'), { recursive: true });
});
afterEach(() => rm(folder, { recursive: true }));

const home = (): Home => new Home(join(folder, 'home'));
const etc = (name: string): string => join(folder, 'etc', name);
const DATABASE = { takenAt: '2026-11-20T12:00:00Z', tables: [] };

async function write(path: string, text: string, mode: number): Promise<void> {
  await writeFile(path, text);
  await chmod(path, mode);
}

it('a backup keeps the modes of the configuration, and a restore brings what is not there and names what differs', async () => {
  await write(etc('proctor.yaml'), 'suites: [sid]\n', 0o644);
  await write(etc('server.env'), 'A=1\n', 0o640);
  await write(etc('nats/ca.key'), 'secret\n', 0o600);
  const backupFolder = new BackupFolder(join(folder, 'backup'));
  expect(await saveHomeFiles(home(), join(folder, 'etc'), [], backupFolder)).toEqual([]);
  const manifest = { proctor: '0', database: DATABASE as never, store: 'left out' as const, filesMissing: 0 };
  await backupFolder.saveManifest(manifest);

  await mkdir(join(folder, 'new'));
  await write(join(folder, 'new/proctor.yaml'), 'suites: [trixie]\n', 0o644);
  const backup = await CheckedBackup.open(backupFolder.path);
  const at = (name: string): string => join(folder, 'new', name);
  expect(await restoreConfiguration(backup, join(folder, 'new'))).toEqual({
    brought: expect.arrayContaining([at('nats/ca.key'), at('server.env')]) as string[],
    different: ['proctor.yaml'],
  });
  expect(await readFile(join(folder, 'new/proctor.yaml'), 'utf8')).toBe('suites: [trixie]\n');
  const mode = async (name: string) => (await stat(join(folder, 'new', name))).mode & 0o777;
  expect([await mode('server.env'), await mode('nats/ca.key')]).toEqual([0o640, 0o600]);
});

it('the secrets of a home are all brought once the rest is done, and none of them when that fails', async () => {
  const old = home();
  await mkdir(join(old.path, 'secrets/nats-users'), { recursive: true });
  await write(old.adminKey, 'pk_1', 0o600);
  await write(join(old.path, 'secrets/nats-users/api'), 'seed', 0o600);
  const backupFolder = new BackupFolder(join(folder, 'backup'));
  await saveHomeFiles(old, join(folder, 'etc'), [], backupFolder);
  await backupFolder.saveManifest({
    proctor: '0',
    database: DATABASE as never,
    store: 'left out',
    filesMissing: 0,
  });
  const backup = await CheckedBackup.open(backupFolder.path);
  const filesOf = async (path: string): Promise<string[]> =>
    (await readdir(path, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => entry.name)
      .sort();

  const brokenHome = new Home(join(folder, 'failed'));
  const full = () => Promise.reject(new Error('no space left on device'));
  await expect(restoreHomeFiles(backup, brokenHome, full)).rejects.toThrow('no space left on device');
  expect(await filesOf(brokenHome.path)).toEqual([]);
  const whole = new Home(join(folder, 'whole'));
  await restoreHomeFiles(backup, whole, () => Promise.resolve());
  expect(await filesOf(whole.path)).toEqual(['admin.key', 'api']);
});

it('a backup by a user who may not read a file of the configuration goes on, and names the file', async () => {
  await write(etc('proctor.yaml'), 'suites: [sid]\n', 0o644);
  await write(etc('nats/ca.key'), 'secret\n', 0o000);
  const backupFolder = new BackupFolder(join(folder, 'backup'));
  await mkdir(backupFolder.path);
  await chmod(backupFolder.path, 0o777);
  if (isRoot) process.seteuid!(OTHER_USER);
  try {
    expect(await saveHomeFiles(home(), join(folder, 'etc'), [], backupFolder)).toEqual([etc('nats/ca.key')]);
  } finally {
    if (isRoot) process.seteuid!(0);
  }
  expect(Object.keys(backupFolder.sums)).toEqual(['config/proctor.yaml']);
});
