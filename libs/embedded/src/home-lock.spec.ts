import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HomeInUse, HomeLock } from './home-lock';
import { identify } from './process-identity';

const URL = 'http://127.0.0.1:8080';

describe('HomeLock', () => {
  let folder: string;
  let path: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'home-lock-'));
    path = join(folder, 'lock');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('the lock of a home is held by one process until it is released', async () => {
    const lock = await HomeLock.acquire(path, URL);
    expect(lock.isTakenOver).toBe(false);
    expect(await HomeLock.holder(path)).toEqual({ ...identify(process.pid), url: URL });
    await expect(HomeLock.acquire(path, 'http://other')).rejects.toThrow(
      `Proctor is already running on this home (pid ${process.pid}, ${URL})`,
    );
    await lock.release();
    expect(await HomeLock.holder(path)).toBeNull();
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([
    ['of a process that is gone', JSON.stringify({ pid: 2 ** 22 + 1, startTime: '5', url: URL })],
    ['of a pid that now belongs to another process', JSON.stringify({ pid: process.pid, startTime: '5' })],
    ['that was cut short', '{"pid":'],
    ['that is empty', ''],
  ])('the lock of a home takes the place of a lock %s', async (_, stale) => {
    await writeFile(path, stale);
    expect(await HomeLock.holder(path)).toBeNull();
    const lock = await HomeLock.acquire(path, URL);
    expect((await HomeLock.holder(path))?.pid).toBe(process.pid);
    expect(await readdir(folder)).toEqual(['lock']);
    expect(lock.isTakenOver).toBe(true);
    await lock.release();
  });

  it('the lock of a home goes to one of several processes that find the same stale lock', async () => {
    await writeFile(path, '');
    const tries = await Promise.allSettled([1, 2, 3].map(() => HomeLock.acquire(path, URL)));
    expect(tries.filter((attempt) => attempt.status === 'fulfilled')).toHaveLength(1);
    for (const attempt of tries) {
      if (attempt.status === 'rejected') expect(attempt.reason).toBeInstanceOf(HomeInUse);
      else await attempt.value.release();
    }
  });

  it('the lock of a home is held also by who cannot be seen, and is free once its holder is killed', async () => {
    const script = 'echo held; exec sleep 1000 >/dev/null';
    const holder = spawn('flock', ['--no-fork', folder, 'sh', '-c', script], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(holder.stdout, 'data');
    await expect(HomeLock.acquire(path, URL)).rejects.toThrow(
      `another Proctor uses ${folder} and cannot be seen from here, as in another container: end it there, or name another folder in PROCTOR_HOME`,
    );
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    await (await HomeLock.acquire(path, URL)).release();
  });

  it('a lock file that names a running process does not block a start when the lock is free', async () => {
    await writeFile(path, JSON.stringify({ ...identify(process.ppid), url: URL }));
    const lock = await HomeLock.acquire(path, URL);
    expect(await HomeLock.holder(path)).toMatchObject({ pid: process.pid });
    await lock.release();
  });

  it('the lock of a home leaves alone, on release, a file that is no longer its own', async () => {
    const lock = await HomeLock.acquire(path, URL);
    await writeFile(path, 'another');
    await lock.release();
    expect(await readFile(path, 'utf8')).toBe('another');
  });
});
