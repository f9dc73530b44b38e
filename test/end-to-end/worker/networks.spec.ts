import { mkdtemp, readFile, rm, writeFile, chmod } from 'node:fs/promises';
import { openSync, closeSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sandboxes } from '../../../apps/worker/src/sandbox/sandboxes';
import { until } from '../../support/until';

const LINKS = [
  'sh',
  '-c',
  'readlink /proc/self/ns/net /proc/self/ns/user; ip -o -4 addr; grep Cap /proc/self/status',
];

let workPath: string;
let sandboxes: Sandboxes;
beforeEach(async () => {
  workPath = await mkdtemp(join(tmpdir(), 'proctor-networks-'));
  await chmod(workPath, 0o755);
});
afterEach(async () => {
  await sandboxes.close();
  await rm(workPath, { recursive: true });
});

/** With so many networks kept ready. */
async function open(networksReady: number): Promise<void> {
  sandboxes = new Sandboxes(workPath, 'runs', { hidden: [], visible: [] }, networksReady);
  await sandboxes.detect();
}

/** What a command says in a sandbox with a network of its own. */
async function said(name: string): Promise<string[]> {
  const folder = await sandboxes.createFolder(name);
  const path = join(workPath, `${name}-output`);
  await writeFile(path, '');
  const output = openSync(path, 'w');
  try {
    const use = { command: LINKS, network: 'private', tmpfsBytes: 1024 * 1024, output } as const;
    const sandbox = await sandboxes.start(folder, use);
    expect(await sandbox.ended).toEqual({ code: 0 });
    return (await readFile(path, 'utf8')).trim().split('\n');
  } finally {
    closeSync(output);
    await folder.remove();
  }
}

/** The processes of networks that our launcher has started: ids. */
function networks(): number[] {
  const launchers = processes().filter(({ parent }) => parent === process.pid);
  return processes()
    .filter(({ name, parent }) => name === 'slirp4netns' && launchers.some(({ pid }) => pid === parent))
    .map(({ pid }) => pid);
}

function processes(): { pid: number; name: string; parent: number }[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      try {
        const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
        const [, name = '', parent] = /\((.*)\) . (\d+)/.exec(stat) ?? [];
        return [{ pid: Number(entry), name, parent: Number(parent) }];
      } catch {
        // It ended while we looked.
        return [];
      }
    });
}

it('a network that is ready before its sandbox is like one that the sandbox makes, and belongs to it alone', async () => {
  await open(1);
  expect(await until(() => Promise.resolve(networks().length === 1), 20_000)).toBe(true);
  const [first] = networks();
  const ready = await said('first');
  expect(await until(() => Promise.resolve(networks().length === 1 && networks()[0] !== first), 20_000)).toBe(
    true,
  );
  const second = await said('second');
  expect([ready[0], ready[1]]).not.toContain(second[0]);
  expect(ready[1]).not.toBe(second[1]);
  await sandboxes.drain();
  expect(networks()).toEqual([]);
  const own = await said('third');
  expect(own.slice(2)).toEqual(ready.slice(2));
  expect(own.slice(2).join()).toContain('10.0.2.100/24');
  expect(networks()).toEqual([]);
}, 60_000);

it('a network that was killed while no sandbox had it is made by the sandbox itself', async () => {
  await open(1);
  expect(await until(() => Promise.resolve(networks().length === 1), 20_000)).toBe(true);
  process.kill(networks()[0]!, 'SIGKILL');
  expect(await until(() => Promise.resolve(networks().length === 0), 20_000)).toBe(true);
  expect((await said('run')).join()).toContain('10.0.2.100/24');
}, 60_000);

it('networks that are not up yet are ended with the worker', async () => {
  await open(5);
  await sandboxes.drain();
  expect(networks()).toEqual([]);
}, 60_000);
