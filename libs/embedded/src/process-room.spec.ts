import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from './command';
import { boundOfGroup, lackOf, limitIn, requireProcessRoom, threadsOf } from './process-room';

let groups: string;
beforeEach(async () => (groups = await mkdtemp(join(tmpdir(), 'process-room-'))));
afterEach(() => rm(groups, { recursive: true }));

async function group(path: string, max: string, current: number): Promise<void> {
  await mkdir(join(groups, path), { recursive: true });
  await writeFile(join(groups, path, 'pids.max'), `${max}\n`);
  await writeFile(join(groups, path, 'pids.current'), `${current}\n`);
}

async function boundIn(own: string): Promise<string | null> {
  const file = join(groups, 'own');
  await writeFile(file, own);
  const bound = await boundOfGroup(groups, file);
  return bound && lackOf(bound, 80);
}

it.each([
  ['30                   400      ', 30],
  ['unlimited            unlimited', null],
])('of the limits of processes %s the soft one counts', (limits, limit) => {
  const lines = [
    'Max open files            1024                 4096                 files     ',
    `Max processes             ${limits}                 processes `,
  ];
  expect(limitIn(lines.join('\n'))).toBe(limit);
});

it('of a control group and those above it, the one with the least room counts', async () => {
  await group('a/b', 'max', 3);
  await group('a', '60', 50);
  await group('.', '500', 100);
  expect(await boundIn('0::/a/b\n')).toBe(
    `only 60 processes and threads are allowed here, 50 are there, and a start needs 80 more: raise ${groups}/a/pids.max to 200: TasksMax=200 of its unit, or docker run --pids-limit=200`,
  );
});

it('a controller of the first version has a tree of its own, and a container may not see its own path', async () => {
  await group('pids', '30', 1);
  expect(await boundIn('8:pids:/docker/0123\n4:memory:/x\n0::/docker/0123\n')).toContain(
    `${groups}/pids/pids.max`,
  );
  expect(await boundIn('4:memory:/x\n')).toBeNull();
});

it('a limit of this process that leaves no room is named, with what to type', async () => {
  const uid = process.getuid!();
  const before = limitIn(await readFile('/proc/self/limits', 'utf8'));
  const limitTo = (soft: number | string) =>
    runCommand('prlimit', [`--nproc=${soft}:`, '--pid', String(process.pid)]);
  // Others than root could not run what lifts the limit again.
  await limitTo(uid === 0 ? 1 : (await threadsOf(uid)) + 20);
  try {
    await expect(requireProcessRoom()).rejects.toThrow(
      /^only \d+ processes and threads are allowed here, \d+ are there, .*: type ulimit -u 200 before npm start/,
    );
  } finally {
    await limitTo(before ?? 'unlimited');
  }
  await requireProcessRoom();
});
