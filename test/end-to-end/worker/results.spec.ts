import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { TESTS_MAX } from '@proctor/contracts';
import type { AttemptResult } from '@apps/worker/src/slot/ports';
import { prepareImage } from '@test/support/worker-images';
import { lease, leaseOfTree, openMachine, sourceTree, type TestMachine } from './test-machine';

const STUB = { package: 'stub', backend: 'null', variant: 'stub' };
const never = new AbortController().signal;
const nothing = () => undefined;
const MIB = 1024 ** 2;

let machine: TestMachine;
prepareImage();
afterEach(async () => machine?.close());

const execute = (trigger: string) => machine.runner.run(lease({ ...STUB, trigger }), nothing, never);

async function stored(result: AttemptResult): Promise<Buffer> {
  const file = result.files.find(({ name }) => name === 'log.gz');
  return gunzipSync(await readFile(file!.path));
}

const streamed = (): Buffer => Buffer.concat(machine.chunks.map(({ data }) => Buffer.from(data, 'base64')));

it('a worker reports how the single tests ended, as many as a report may have', async () => {
  machine = await openMachine({ backends: ['null'] });
  expect((await execute('tests:2 exit:4')).tests).toEqual([
    { name: 'test-1', status: 'PASS', detail: null },
    { name: 'test-2', status: 'PASS', detail: null },
    { name: 'stub', status: 'FAIL', detail: 'non-zero exit status 1' },
  ]);
  expect((await execute(`tests:${TESTS_MAX + 1}`)).tests).toHaveLength(TESTS_MAX);
  expect((await execute('silent exit:20')).tests).toEqual([]);
});

it('a worker packs the same bytes for the same artifacts', async () => {
  machine = await openMachine({ backends: ['null'] });
  const [first, second] = [await execute('artifact:1000'), await execute('artifact:1000')];
  expect(second.files[1]).toMatchObject({ name: 'artifacts.tar.gz', sha256: first.files[1]!.sha256 });
});

it('the artifacts of a public run have the changelog of its source, those of a private run have none', async () => {
  machine = await openMachine();
  const tree = await sourceTree(machine.workPath, '#!/bin/sh\n');
  const membersOf = async (isPrivate: boolean): Promise<string> => {
    const result = await machine.runner.run(leaseOfTree(tree, { isPrivate }), nothing, never);
    expect(result.verdict).toBe('pass');
    const file = result.files.find(({ name }) => name === 'artifacts.tar.gz');
    return gunzipSync(await readFile(file!.path)).toString('latin1');
  };
  expect(await membersOf(false)).toContain('crafted (1.0-1) unstable; urgency=low\n\n  * Crafted.');
  expect(await membersOf(true)).not.toContain('* Crafted.');
});

it('the stored log is what was streamed, byte by byte', async () => {
  machine = await openMachine({ backends: ['null'] });
  const odd = Buffer.from('crlf\r\nnul\0 not utf-8 \xff\xfe√ no newline at the end', 'latin1');
  const result = await execute(`lines:20000 raw:${odd.toString('base64')} kill`);
  const log = await stored(result);
  expect(log.subarray(-odd.length)).toEqual(odd);
  expect(log.equals(streamed())).toBe(true);
  expect(machine.chunks.map(({ chunk }) => chunk)).toEqual(machine.chunks.map((_, number) => number));
});

it('the stored log is streamed up to its limit, and keeps that and its end when it is longer', async () => {
  machine = await openMachine({ backends: ['null'], logHeadBytesMax: 10_000, logTailBytesMax: 2_500 });
  const log = await stored(await execute('lines:2000'));
  const text = streamed().toString();
  expect(text).toMatch(/\n\[the live log ends here, after 10000 bytes\]\n$/);
  expect(log.subarray(0, 10_000).toString()).toBe(text.slice(0, 10_000));
  const end = log.subarray(10_000).toString();
  expect(end).toMatch(/^\n\[\d+ bytes of the log are left out here\]\n/);
  expect(end.slice(-2_500)).toMatch(/line 2000 of the stub\n.*stub ends with 0\n$/);
});

describe('endless output', () => {
  const isOver = "ended after 33554432 bytes of output by the worker's limit";

  it('a runner that writes without end is ended before it has filled the disk', async () => {
    machine = await openMachine({ backends: ['null'], runOutputBytesMax: 32 * MIB });
    const result = await execute('flood');
    expect(result).toMatchObject({ verdict: 'tmpfail', trouble: 'limit', message: isOver, exitCode: null });
    expect((await stored(result)).length).toBeLessThan(2 * MIB);
  });

  it('a runner that writes without end is ended as well when it is a test that does so, within a real testbed', async () => {
    machine = await openMachine({ runOutputBytesMax: 32 * MIB, runTmpfsBytes: 2048 * MIB });
    const tree = await sourceTree(machine.workPath, "#!/bin/sh\nyes 'a line of a flood'\n");
    const result = await machine.runner.run(leaseOfTree(tree), nothing, never);
    expect(result).toMatchObject({ verdict: 'tmpfail', trouble: 'limit', message: isOver });
    expect((await stored(result)).toString()).toContain('a line of a flood\n');
    await rm(join(machine.workPath, 'results'), { recursive: true });
  });
});
