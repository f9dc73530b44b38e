import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@test/simulation/world/virtual-clock';
import { WriteProbe } from './write-probe';

const SETTINGS = { everyMs: 10_000, timeoutMs: 5_000 };

/** A probe whose writes are in the hands of the test. */
function makeProbe() {
  const clock = new VirtualClock();
  const writes: { succeed: () => void; fail: (error: Error) => void }[] = [];
  const write = () => new Promise<void>((succeed, fail) => writes.push({ succeed, fail }));
  const probe = new WriteProbe('/r', clock, SETTINGS, write);
  const settle = () => clock.runUntil(clock.now());
  const pass = (ms: number) => clock.runUntil(clock.now() + ms);
  return { probe, writes, settle, pass };
}

describe('a real folder', () => {
  let path: string;
  beforeEach(async () => (path = await mkdtemp(join(tmpdir(), 'probe-'))));
  afterEach(async () => rm(path, { recursive: true }));

  async function problemOf(folder: string): Promise<string | null> {
    const probe = new WriteProbe(folder, new VirtualClock());
    await probe.start();
    probe.stop();
    return probe.problem;
  }

  it('a write probe makes its folder where it is missing, and leaves nothing in it', async () => {
    expect(await problemOf(join(path, 'results'))).toBeNull();
    expect(await readdir(join(path, 'results'))).toEqual([]);
  });

  it.each([
    ['the folder is a file', () => writeFile(join(path, 'results'), '')],
    ['nothing can be written there', () => mkdir(join(path, 'results', 'probe.new'), { recursive: true })],
  ])('a write probe has a problem when %s', async (_what, make) => {
    await make();
    expect(await problemOf(join(path, 'results'))).toMatch(/EEXIST|ENOTDIR|EISDIR/);
  });
});

it('a write probe finds by itself when a problem begins and when it ends', async () => {
  const { probe, writes, settle, pass } = makeProbe();
  void probe.start();
  writes[0]?.succeed();
  await settle();
  expect(probe.problem).toBeNull();
  await pass(10_000);
  writes[1]?.fail(new Error('EDQUOT: disk quota exceeded'));
  await settle();
  expect(probe.problem).toContain('disk quota exceeded');
  await pass(10_000);
  writes[2]?.succeed();
  await settle();
  expect(probe.problem).toBeNull();
});

it('a write probe takes a write that hangs for a failure, and begins no second one beside it', async () => {
  const { probe, writes, settle, pass } = makeProbe();
  void probe.start();
  await pass(60_000);
  expect(probe.problem).toBe('writing takes longer than 5 s');
  expect(writes).toHaveLength(1);
  writes[0]?.succeed();
  await settle();
  expect(probe.problem).toBeNull();
});

it('a result that could not be kept remains a problem until a later look succeeds', async () => {
  const { probe, writes, settle, pass } = makeProbe();
  void probe.start();
  probe.onSaveFailed('no space left on device');
  writes[0]?.succeed();
  await settle();
  expect(probe.problem).toBe('no space left on device');
  await pass(10_000);
  writes[1]?.succeed();
  await settle();
  expect(probe.problem).toBeNull();
});

it('a write probe does not look once it is stopped', async () => {
  const { probe, writes, pass } = makeProbe();
  void probe.start();
  probe.stop();
  writes[0]?.succeed();
  await pass(60_000);
  expect(writes).toHaveLength(1);
});
