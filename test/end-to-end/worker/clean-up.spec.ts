import { execFile } from 'node:child_process';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LaunchedSandbox } from '@apps/worker/src/sandbox/launcher';
import { RunFolder } from '@apps/worker/src/sandbox/run-folder';
import { Sandbox } from '@apps/worker/src/sandbox/sandbox';
import { peerMsUntil } from '@test/support/peer-clock';
import { until } from '@test/support/until';
import { newMark, processesWith } from './processes-with';
import { prepareImage } from '@test/support/worker-images';
import { lease, leaseOfTree, openMachine, sourceTree, storedLog, type TestMachine } from './test-machine';

/** Ignores SIGTERM and leaves processes behind that do so too, in sessions of their own. */
const STUBBORN = `#!/bin/sh
trap '' TERM
setsid sh -c 'setsid sleep MARK & setsid sh -c "trap \\"\\" TERM; sleep MARK" &' </dev/null >/dev/null 2>&1 &
sleep 1
echo 'the children are there'
sleep MARK
`;

/** From the word that a run is cancelled until nothing of it is left. */
const CANCEL_MS_MAX = 2_000;

const STUB = { package: 'stub', backend: 'null', variant: 'stub' };
const startProcess = promisify(execFile);
const never = new AbortController().signal;
const nothing = () => undefined;

let machine: TestMachine;
prepareImage();
afterEach(async () => {
  jest.restoreAllMocks();
  await machine?.close();
});

/** Processes of this machine in one of the namespaces; a namespace lives as long as there are any. */
function processesIn(namespaces: Set<string>): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && namespaces.has(readlinkSync(`/proc/${name}/ns/pid`));
    } catch {
      // It ended while we looked.
      return false;
    }
  });
}

async function expectNothingLeft(mark: string): Promise<void> {
  expect(processesWith(mark)).toEqual([]);
  expect(await readdir(join(machine.workPath, 'runs'))).toEqual([]);
  expect(readFileSync('/proc/self/mounts', 'utf8')).not.toContain(machine.workPath);
}

it('an abort leaves no process, mount or file of the attempt', async () => {
  machine = await openMachine();
  const mark = newMark();
  const abort = new AbortController();
  const tree = await sourceTree(machine.workPath, STUBBORN.replaceAll('MARK', mark));
  const logged = machine.untilLogged('the children are there');
  const run = machine.runner.run(leaseOfTree(tree), nothing, abort.signal);
  await Promise.race([logged, run]);
  const arePlanted = () => processesWith(mark).length >= 3;
  expect(await until(() => Promise.resolve(arePlanted()))).toBe(true);
  const planted = processesWith(mark);
  const namespaces = new Set(planted.map((pid) => readlinkSync(`/proc/${pid}/ns/pid`)));
  abort.abort(new Error('enough'));
  const rejection = expect(run).rejects.toThrow('enough');
  expect(await peerMsUntil(rejection, () => startProcess('true'))).toBeLessThan(CANCEL_MS_MAX);
  expect(processesIn(namespaces)).toEqual([]);
  await expectNothingLeft(mark);
});

it('a sandbox that is killed before it has learned that it may go on is gone, and nothing else is', async () => {
  machine = await openMachine({ backends: ['null'] });
  const mark = newMark();
  const folder = await machine.sandboxes.createFolder('hasty');
  const go = jest.spyOn(LaunchedSandbox.prototype, 'startCommand').mockImplementation();
  const command = ['sleep', mark];
  const sandbox = await machine.sandboxes.start(folder, {
    command,
    network: 'private',
    tmpfsBytes: 1_000_000,
  });
  go.mockRestore();
  await sandbox.kill();
  await folder.remove();
  await expectNothingLeft(mark);
});

it('an attempt leaves nothing when the worker fails beside it', async () => {
  machine = await openMachine({ backends: ['null'] });
  const mark = newMark();
  jest.spyOn(Sandbox.prototype, 'freeBytes').mockImplementation(async () => {
    await until(() => Promise.resolve(processesWith(mark).length > 0));
    throw new Error('the work area cannot be looked at');
  });
  const run = machine.runner.run(lease({ ...STUB, trigger: `child:${mark} hang` }), nothing, never);
  await expect(run).rejects.toThrow('cannot be looked at');
  await expectNothingLeft(mark);
});

it('an attempt that ends without files has no chunk of its live log left on the way', async () => {
  machine = await openMachine({ backends: ['null'] });
  const goOn = machine.holdChunks();
  const isSending = machine.untilLogged('stub begins');
  jest.spyOn(Sandbox.prototype, 'freeBytes').mockImplementation(async () => {
    await isSending;
    throw new Error('the work area cannot be looked at');
  });
  const killed = jest.spyOn(Sandbox.prototype, 'kill');
  let arrived: number | null = null;
  jest.spyOn(RunFolder.prototype, 'remove').mockImplementation(() => {
    arrived = machine.chunks.length;
    return Promise.resolve();
  });
  const run = machine.runner.run(lease({ ...STUB, trigger: 'hang' }), nothing, never);
  const rejection = expect(run).rejects.toThrow('cannot be looked at');
  await isSending;
  await until(() => Promise.resolve(killed.mock.results.length > 0));
  await killed.mock.results[0]!.value;
  setImmediate(goOn);
  await rejection;
  expect(arrived).toBe(1);
});

it("the worker's own limit ends an attempt as tmpfail, with its log", async () => {
  machine = await openMachine({ backends: ['null'], runTimeoutMs: 10_000 });
  const mark = newMark();
  const result = await machine.runner.run(lease({ ...STUB, trigger: `child:${mark} hang` }), nothing, never);
  expect(result).toMatchObject({ verdict: 'tmpfail', trouble: 'limit', exitCode: null, version: '1.0-1' });
  expect(result.message).toBe("ended after 10 s by the worker's limit");
  expect(await storedLog(result)).toContain('stub begins');
  await expectNothingLeft(mark);
});

it('a package may have a limit of its own', async () => {
  machine = await openMachine({ backends: ['null'], timeouts: { 'stu*': 1_000 } });
  const result = await machine.runner.run(lease({ ...STUB, trigger: 'hang' }), nothing, never);
  expect(result).toMatchObject({ verdict: 'tmpfail', exitCode: null });
  expect(result.message).toBe("ended after 1 s by the worker's limit");
});

it('children that outlive the test runner are gone with it', async () => {
  machine = await openMachine({ backends: ['null'] });
  const mark = newMark();
  const result = await machine.runner.run(lease({ ...STUB, trigger: `child:${mark}` }), nothing, never);
  expect(result).toMatchObject({ verdict: 'pass', version: '1.0-1' });
  await expectNothingLeft(mark);
});

it.each([
  ['leaves nothing at all', { trigger: 'silent exit:20' }, 'tmpfail', 20, null],
  ['is killed', { trigger: 'kill' }, 'tmpfail', null, '1.0-1'],
  ['fails', { package: 'fail-stub' }, 'fail', 4, '1.0-1'],
  ['skips all', { package: 'skip-stub' }, 'neutral', 8, '1.0-1'],
  ['finds no package', { package: 'missing-stub' }, 'fail', 12, null],
])('a test runner that %s still has a result', async (_what, overrides, verdict, exitCode, version) => {
  machine = await openMachine({ backends: ['null'] });
  const result = await machine.runner.run(lease({ ...STUB, ...overrides }), nothing, never);
  expect(result).toMatchObject({ verdict, exitCode, version });
  expect(result.message).not.toBe('');
  expect(result.files.map(({ name }) => name)).toEqual([
    'log.gz',
    'artifacts.tar.gz',
    'log-index.json',
    'artifacts-index.json',
  ]);
});

it('an attempt that tests a rejected version is ended once the version is known, with nothing left', async () => {
  machine = await openMachine({ backends: ['null'] });
  const mark = newMark();
  const overrides = {
    ...STUB,
    trigger: `child:${mark} version:2:1.0-3 hang`,
    rejectedVersions: ['1.0-3', '2:1.0-3'],
  };
  const result = await machine.runner.run(lease(overrides), nothing, never);
  expect(result).toMatchObject({ verdict: 'fail', version: '2:1.0-3', exitCode: null });
  expect(result.message).toMatch(/^version 2:1.0-3 of stub is on the reject list for \w+\/\w+$/);
  expect(await storedLog(result)).toContain('stub begins');
  await expectNothingLeft(mark);
});

it('a rejected version is no pass, however quick its test was', async () => {
  machine = await openMachine({ backends: ['null'] });
  const quick = await machine.runner.run(lease({ ...STUB, rejectedVersions: ['1.0-1'] }), nothing, never);
  expect(quick).toMatchObject({ verdict: 'fail', version: '1.0-1' });
  const other = await machine.runner.run(lease({ ...STUB, rejectedVersions: ['1.0'] }), nothing, never);
  expect(other).toMatchObject({ verdict: 'pass', version: '1.0-1' });
});
