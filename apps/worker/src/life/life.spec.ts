import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PREVIOUS_MAX } from '@proctor/contracts';
import { WorkerLife } from './life';
import { lockWorkFolder, WorkFolderInUse } from './work-folder';

let folder: string;
const warnings: string[] = [];
const log = { log: () => undefined, warn: (line: string) => void warnings.push(line) };

beforeEach(async () => {
  warnings.length = 0;
  folder = await mkdtemp(join(tmpdir(), 'proctor-life-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** A life that has asked for work. */
async function nextLife(): Promise<WorkerLife> {
  const life = await WorkerLife.start(folder, log);
  await life.whenRecorded();
  return life;
}

it('a life of a worker names the earlier ones in its folder that asked for work, the latest first', async () => {
  const first = await nextLife();
  await WorkerLife.start(folder, log);
  const second = await nextLife();
  const third = await nextLife();
  expect([first, second, third].map(({ previous }) => previous)).toEqual([
    [],
    [first.incarnation],
    [second.incarnation, first.incarnation],
  ]);
  expect(await readdir(folder)).toEqual(['lives.json']);
});

it('a life of a worker names only as many earlier ones as a request may', async () => {
  for (let lives = 0; lives <= PREVIOUS_MAX; lives += 1) await nextLife();
  expect((await nextLife()).previous).toHaveLength(PREVIOUS_MAX);
});

it.each(['', '{}', '"x"', '["x", 1, null]'])(
  'a life of a worker begins when the record reads %j',
  async (text) => {
    await writeFile(join(folder, 'lives.json'), text);
    const life = await nextLife();
    expect(life.previous).toEqual([]);
    expect((await nextLife()).previous).toEqual([life.incarnation]);
  },
);

it('a life of a worker begins when it cannot be recorded, and the log says so', async () => {
  const life = await WorkerLife.start(join(folder, 'nowhere'), log);
  await life.whenRecorded();
  expect(warnings).toEqual([expect.stringMatching(/^this life of the worker is not recorded.*ENOENT/)]);
});

describe('lockWorkFolder', () => {
  const HOLD = 'exec 3>>"$0/lock"; flock --exclusive --nonblock 3 || exit 9; echo held; exec sleep 60 3>&3';

  it('the lock of a work folder keeps every other process away until its holder has ended, however it does', async () => {
    const holder = spawn('sh', ['-c', HOLD, folder], { stdio: ['ignore', 'pipe', 'ignore'] });
    await once(createInterface({ input: holder.stdout }), 'line');
    expect(() => lockWorkFolder(folder)).toThrow(WorkFolderInUse);
    const exit = once(holder, 'exit');
    holder.kill('SIGKILL');
    await exit;
    lockWorkFolder(folder);
    expect(await readFile(join(folder, 'lock'), 'utf8')).toBe(`process ${process.pid} on ${hostname()}\n`);
    const other = spawn('sh', ['-c', HOLD, folder], { stdio: 'ignore' });
    expect(await once(other, 'exit')).toEqual([9, null]);
    expect(() => lockWorkFolder(folder)).toThrow(
      `another worker uses the work folder ${folder} (process ${process.pid} on ${hostname()}): each worker needs`,
    );
  });
});
