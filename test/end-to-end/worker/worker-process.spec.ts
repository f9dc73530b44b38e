import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { stagingName } from '@proctor/contracts';
import { startProctor, type RunningProctor } from '../../support/proctor';
import { until } from '../../support/until';
import { imageCachePath } from '../../support/worker-images';
import { FakeDispatcher } from './fake-dispatcher';
import { newMark, processesWith } from './processes-with';
import { lease } from './test-machine';

jest.setTimeout(60_000);

const STUB = {
  package: 'stub',
  suite: 'teapot',
  arch: 'tea',
  backend: 'null',
  variant: 'stub',
  renewEveryMs: 200,
};

let workPath: string;
let proctor: RunningProctor;
let dispatcher: FakeDispatcher;

beforeEach(async () => {
  await mkdir(imageCachePath(), { recursive: true });
  workPath = await mkdtemp(join(imageCachePath(), 'work-'));
  await chmod(workPath, 0o755);
  proctor = await startProctor({ config: { worker: configuration() }, apps: ['worker'] });
  dispatcher = await FakeDispatcher.connect(proctor.natsUrl, 'tea');
});

afterEach(async () => {
  await dispatcher?.bus.close();
  await proctor?.stop();
  await rm(workPath, { recursive: true, force: true });
});

function configuration() {
  return {
    name: 'machine',
    slots: 1,
    architectures: ['tea'],
    suitesAtStart: ['teapot'],
    backends: ['null'],
    sizeClasses: ['big'],
    variants: {
      stub: [resolve('test/stub/autopkgtest-stub')],
      broken: ['/bin/false'],
      deaf: ['/bin/sh', '-c', 'exec sleep 123456'],
      gone: ['/nowhere/autopkgtest'],
    },
    machineMayBeDestroyed: true,
    workPath,
  };
}

/** Grants a run that has begun when this resolves; its child sleeps until it is killed. */
async function grantHanging(): Promise<{ runId: number; mark: string }> {
  const mark = newMark();
  const granted = lease({ ...STUB, trigger: `child:${mark} hang` });
  dispatcher.grant(granted);
  await dispatcher.until('report', ({ name, body }) => name === 'started' && body.runId === granted.runId);
  expect(await until(() => Promise.resolve(processesWith(mark).length > 0), 10_000)).toBe(true);
  return { runId: granted.runId, mark };
}

it('says what it has, executes a lease, and delivers log and result', async () => {
  const { body: ask } = await dispatcher.until('ask', ({ body }) => body.problem === undefined);
  expect(ask).toMatchObject({
    worker: 'machine',
    slot: 0,
    testbeds: [{ suite: 'teapot', backend: 'null', state: 'ready' }],
    variants: ['stub', 'broken', 'deaf'],
    sizeClasses: ['big'],
  });
  const granted = lease({ ...STUB, trigger: 'version:3.14-1 lines:5000 exit:4' });
  dispatcher.grant(granted);
  const { body: report } = await dispatcher.until('report', ({ name }) => name === 'finished');
  expect(report).toMatchObject({
    runId: granted.runId,
    attempt: 1,
    verdict: 'fail',
    exitCode: 4,
    version: '3.14-1',
    incarnation: ask.incarnation,
  });
  const staged = await dispatcher.bus.unstage(stagingName(granted.runId, 1, 'log.gz'));
  const log = staged ? await text(staged.pipe(createGunzip())) : '';
  expect(log).toContain('line 5000 of the stub');
  let live = '';
  for await (const chunk of dispatcher.bus.readLog(granted.runId, 1, 0)) {
    live += Buffer.from(chunk.data, 'base64').toString();
    if (live.length >= log.length) break;
  }
  expect(live).toBe(log);
  await dispatcher.until('ask', ({ body }) => body.ask !== ask.ask);
  expect(await until(async () => (await readdir(join(workPath, 'results'))).length === 0, 10_000)).toBe(true);
});

it.each([
  ['stub', { passed: true, message: 'all tests passed' }],
  ['broken', { passed: false, message: 'the test runner ended with the unknown code 1' }],
])('executes a canary test of the variant %s and tells how it ended', async (variant, end) => {
  const { suite, arch, backend } = STUB;
  dispatcher.wantCanary({ canary: '7.1', suite, arch, backend, variant });
  const { body } = await dispatcher.until('ask', ({ body }) => body.canary !== undefined);
  expect(body.canary).toEqual({ canary: '7.1', ...end });
  expect(dispatcher.heard.filter(({ kind }) => kind !== 'ask')).toEqual([]);
  expect((await readdir(join(workPath, 'runs'))).filter((name) => name.startsWith('canary'))).toEqual([]);
});

it('ends a canary test when it is stopped, and leaves nothing', async () => {
  const { suite, arch, backend } = STUB;
  dispatcher.wantCanary({ canary: '7.1', suite, arch, backend, variant: 'deaf' });
  const isRunning = () => processesWith('123456').length > 0;
  expect(await until(() => Promise.resolve(isRunning()), 20_000)).toBe(true);
  await proctor.kill('worker', 'SIGTERM');
  expect(await until(() => Promise.resolve(!isRunning()), 20_000)).toBe(true);
  expect(await readdir(join(workPath, 'runs'))).toEqual([]);
});

it('ends an attempt that it is told to stop, and reports nothing', async () => {
  const { runId, mark } = await grantHanging();
  dispatcher.instruction = 'stop';
  const asks = dispatcher.heard.filter(({ kind }) => kind === 'ask').length;
  const isNext = () => dispatcher.heard.filter(({ kind }) => kind === 'ask').length > asks;
  await dispatcher.until('ask', isNext);
  expect(processesWith(mark)).toEqual([]);
  expect(dispatcher.heard.filter((heard) => heard.kind === 'report' && heard.name === 'finished')).toEqual(
    [],
  );
  expect(dispatcher.heard.filter(({ kind, body }) => kind === 'return' && body.runId === runId)).toEqual([]);
});

it('hands its lease back when it is stopped, and leaves nothing', async () => {
  const { runId, mark } = await grantHanging();
  await proctor.kill('worker', 'SIGTERM');
  const { body } = await dispatcher.until('return');
  expect(body).toMatchObject({ runId, attempt: 1, reason: 'the worker stops' });
  expect(processesWith(mark)).toEqual([]);
  expect(await readdir(join(workPath, 'runs'))).toEqual([]);
});

it('killed, it takes its runs along; its next life removes the rest and delivers what was finished', async () => {
  dispatcher.answer = null;
  const finished = lease({ ...STUB, trigger: 'version:1.0-9' });
  dispatcher.grant(finished);
  await dispatcher.until('report', ({ name }) => name === 'finished');
  await proctor.kill('worker', 'SIGKILL');
  await proctor.restart('worker');
  dispatcher.answer = 'recorded';
  const first = dispatcher.heard.filter(
    (heard) => heard.kind === 'report' && heard.name === 'finished',
  ).length;
  const isAgain = () =>
    dispatcher.heard.filter((heard) => heard.kind === 'report' && heard.name === 'finished').length > first;
  await dispatcher.until('report', isAgain);
  expect(await until(async () => (await readdir(join(workPath, 'results'))).length === 0, 10_000)).toBe(true);

  const { mark } = await grantHanging();
  await proctor.kill('worker', 'SIGKILL');
  expect(await until(() => Promise.resolve(processesWith(mark).length === 0), 10_000)).toBe(true);
  await proctor.restart('worker');
  // Beside the folders of attempts, the new life may have one where it tries its sandbox.
  const attempts = (await readdir(join(workPath, 'runs'))).filter((name) => /^\d+-\d+$/.test(name));
  expect(attempts).toEqual([]);
});
