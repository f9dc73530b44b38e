import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { stagingName, type FinishedReport } from '@proctor/contracts';
import { startProctor, type RunningProctor } from '@test/support/proctor';
import { Marks } from '@test/support/stub';
import { until } from '@test/support/until';
import { imageCachePath } from '@test/support/worker-images';
import { FakeDispatcher } from './fake-dispatcher';
import { newMark, processesWith } from './processes-with';
import { lease } from './test-machine';

const STUB = {
  package: 'stub',
  suite: 'teapot',
  arch: 'tea',
  backend: 'null',
  variant: 'stub',
  renewEveryMs: 200,
};

let workPath: string;
const WORKER = 'machine';

let proctor: RunningProctor;
let dispatcher: FakeDispatcher;

beforeEach(async () => {
  await mkdir(imageCachePath(), { recursive: true });
  workPath = await mkdtemp(join(imageCachePath(), 'work-'));
  await chmod(workPath, 0o755);
  proctor = await startProctor({ config: { worker: configuration() }, apps: ['worker'] });
  dispatcher = await FakeDispatcher.connect(proctor, 'tea');
});

afterEach(async () => {
  await dispatcher?.close();
  await proctor?.stop();
  await rm(workPath, { recursive: true, force: true });
});

function configuration() {
  return {
    name: WORKER,
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
  expect(await until(() => Promise.resolve(processesWith(mark).length > 0))).toBe(true);
  return { runId: granted.runId, mark };
}

it('a worker says what it has, executes a lease, and delivers log and result', async () => {
  const { body: ask } = await dispatcher.until('ask', ({ body }) => body.problem === undefined);
  expect(ask).toMatchObject({
    worker: WORKER,
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
  const staged = await dispatcher.bus.readStaged(WORKER, stagingName(granted, 'log.gz'));
  const log = staged ? await text(staged.pipe(createGunzip())) : '';
  expect(log).toContain('line 5000 of the stub');
  let live = '';
  for await (const chunk of dispatcher.api.readLog(WORKER, granted, 0)) {
    live += Buffer.from(chunk.data, 'base64').toString();
    if (live.length >= log.length) break;
  }
  expect(live).toBe(log);
  await dispatcher.until('ask', ({ body }) => body.ask !== ask.ask);
  expect(await until(async () => (await readdir(join(workPath, 'results'))).length === 0)).toBe(true);
});

it('a worker reports what it hands to no test runner, with the reason', async () => {
  dispatcher.grant(lease({ ...STUB, package: '--shell' }));
  const { body } = await dispatcher.until('report', ({ name }) => name === 'finished');
  expect(body).toMatchObject({
    ...{ verdict: 'tmpfail', trouble: 'request', files: [] },
    message: 'the worker refuses the request: the package "--shell" is not safe to pass to a test runner',
  });
});

it.each([
  ['stub', { passed: true, message: 'all tests passed' }],
  ['broken', { passed: false, message: 'the test runner ended with the unknown code 1' }],
])('a worker executes a canary test of the variant %s and reports how it ended', async (variant, end) => {
  const { suite, arch, backend } = STUB;
  dispatcher.wantCanary({ canary: '7.1', suite, arch, backend, variant });
  const { body } = await dispatcher.until('ask', ({ body }) => body.canary !== undefined);
  expect(body.canary).toEqual({ canary: '7.1', ...end });
  expect(dispatcher.messages.filter(({ kind }) => kind !== 'ask')).toEqual([]);
  expect((await readdir(join(workPath, 'runs'))).filter((name) => name.startsWith('canary'))).toEqual([]);
});

it('a worker ends a canary test when it is stopped, and leaves nothing', async () => {
  const { suite, arch, backend } = STUB;
  dispatcher.wantCanary({ canary: '7.1', suite, arch, backend, variant: 'deaf' });
  const isRunning = () => processesWith('123456').length > 0;
  expect(await until(() => Promise.resolve(isRunning()))).toBe(true);
  await proctor.kill('worker', 'SIGTERM');
  expect(await until(() => Promise.resolve(!isRunning()))).toBe(true);
  expect(await readdir(join(workPath, 'runs'))).toEqual([]);
});

it('a worker ends an attempt when it gets the signal to stop, and reports nothing', async () => {
  const { runId, mark } = await grantHanging();
  dispatcher.instruction = 'stop';
  const asks = dispatcher.messages.filter(({ kind }) => kind === 'ask').length;
  const isNext = () => dispatcher.messages.filter(({ kind }) => kind === 'ask').length > asks;
  await dispatcher.until('ask', isNext);
  expect(processesWith(mark)).toEqual([]);
  expect(
    dispatcher.messages.filter((message) => message.kind === 'report' && message.name === 'finished'),
  ).toEqual([]);
  expect(dispatcher.messages.filter(({ kind, body }) => kind === 'return' && body.runId === runId)).toEqual(
    [],
  );
});

it('a worker drains at SIGTERM: finishes what it has, says how long that may take, takes nothing further, and ends', async () => {
  const go = join(workPath, 'go');
  const granted = lease({ ...STUB, trigger: `wait-for:${go}` });
  dispatcher.grant(granted);
  await dispatcher.until('report', ({ name }) => name === 'started');
  proctor.processes.worker.kill('SIGTERM');
  await proctor.output.line('worker', /draining: tests under way: 1, for at most 480 min more/);
  dispatcher.grant(lease(STUB));
  await dispatcher.bus.flush();
  await writeFile(go, '');
  const { body } = await dispatcher.until('report', ({ name }) => name === 'finished');
  expect(body).toMatchObject({ runId: granted.runId, verdict: 'pass' });
  expect(await proctor.processes.worker.whenEnded).toEqual({ code: 0, signal: null });
  expect(dispatcher.messages.filter(({ kind }) => kind === 'return')).toEqual([]);
  expect(dispatcher.next).not.toBeNull();
  expect(await readdir(join(workPath, 'results'))).toEqual([]);
});

it('a worker ends at once at SIGTERM when nothing is under way', async () => {
  await dispatcher.until('ask', ({ body }) => body.problem === undefined);
  await proctor.kill('worker', 'SIGTERM');
  expect(await proctor.processes.worker.whenEnded).toEqual({ code: 0, signal: null });
  await proctor.output.line('worker', /draining: nothing is under way/);
});

it('a worker hands its lease back when a second SIGTERM stops it, and leaves nothing', async () => {
  const { runId, mark } = await grantHanging();
  proctor.processes.worker.kill('SIGTERM');
  await proctor.output.line('worker', /draining: /);
  expect(processesWith(mark)).not.toEqual([]);
  await proctor.kill('worker', 'SIGTERM');
  const { body } = await dispatcher.until('return');
  expect(body).toMatchObject({ runId, attempt: 1, reason: 'the worker stops' });
  expect(processesWith(mark)).toEqual([]);
  expect(await readdir(join(workPath, 'runs'))).toEqual([]);
});

it('a worker hands its lease back when it is stopped, and leaves nothing', async () => {
  const { runId, mark } = await grantHanging();
  await proctor.kill('worker', 'SIGINT');
  const { body } = await dispatcher.until('return');
  expect(body).toMatchObject({ runId, attempt: 1, reason: 'the worker stops' });
  expect(processesWith(mark)).toEqual([]);
  expect(await readdir(join(workPath, 'runs'))).toEqual([]);
});

it('a result that could not be uploaded waits on disk, and is delivered by the next life after a SIGKILL', async () => {
  const marks = await Marks.make();
  const end = marks.path('end');
  const granted = lease({ ...STUB, trigger: `version:1.0-9 lines:5000 wait-for:${end}` });
  dispatcher.grant(granted);
  await dispatcher.until('report', ({ name }) => name === 'started');
  await proctor.kill('nats', 'SIGKILL');
  await writeFile(end, '');
  const resultFolder = join(workPath, 'results', `${granted.runId}-1-${granted.grantEpoch}`);
  // The verdict is kept first, then the files.
  const isKept = () =>
    readFile(join(resultFolder, 'report.json'), 'utf8').then(
      (report) => (JSON.parse(report) as { report: FinishedReport }).report.files.length > 0,
      () => false,
    );
  expect(await until(isKept)).toBe(true);
  await proctor.kill('worker', 'SIGKILL');
  expect((await readdir(resultFolder)).sort()).toEqual([
    'artifacts-index.json',
    'artifacts.tar.gz',
    'log-index.json',
    'log.gz',
    'report.json',
  ]);
  await proctor.restart('nats');
  await proctor.restart('worker');
  const { body: report } = await dispatcher.until('report', ({ name }) => name === 'finished');
  expect(report).toMatchObject({ runId: granted.runId, attempt: 1, verdict: 'pass', version: '1.0-9' });
  // Its report may come before the streams were looked at, and no file is read until then.
  expect(await until(() => Promise.resolve(dispatcher.bus.isConnected()))).toBe(true);
  const staged = await dispatcher.bus.readStaged(WORKER, stagingName(granted, 'log.gz'));
  expect(staged && (await text(staged.pipe(createGunzip())))).toContain('line 5000 of the stub');
  expect(await until(async () => (await readdir(join(workPath, 'results'))).length === 0)).toBe(true);
  await marks.remove();
});

it('a worker brings a line of the log to its reader within a second, and lets a reader go on where another ended', async () => {
  const marks = await Marks.make();
  const numbers = [1, 2, 3, 4, 5, 6, 7];
  const pauses = numbers.map((number) => `append:${marks.path(`${number}`)} lines:${number} sleep:0.5`);
  const granted = lease({ ...STUB, trigger: pauses.join(' ') });
  dispatcher.grant(granted);
  const liveLog = { text: '', lines: 0, promptly: 0, chunks: 0 };
  for await (const { data } of dispatcher.api.readLog(WORKER, granted, 0)) {
    // What is written two lines after a line is written a second later, on a busy machine too.
    const latest = Math.max(...numbers.filter((number) => existsSync(marks.path(`${number}`))));
    liveLog.text += Buffer.from(data, 'base64').toString();
    liveLog.chunks += 1;
    for (; liveLog.text.includes(`line ${liveLog.lines + 1} of the stub\n`); liveLog.lines += 1)
      if (latest < liveLog.lines + 3) liveLog.promptly += 1;
    if (liveLog.lines === numbers.length) break;
  }
  // A machine that is busy with something else may be late once. The last two lines have none after them.
  expect(liveLog.promptly).toBeGreaterThanOrEqual(2 + 3);
  let rest = '';
  for await (const { chunk, data } of dispatcher.api.readLog(WORKER, granted, 2)) {
    expect(chunk).toBeGreaterThanOrEqual(2);
    rest += Buffer.from(data, 'base64').toString();
    if (chunk === liveLog.chunks - 1) break;
  }
  expect(liveLog.text.endsWith(rest)).toBe(true);
  expect(rest.length).toBeLessThan(liveLog.text.length);
  await marks.remove();
});

it('a worker that is killed takes its runs along; its next life removes the rest and delivers what was finished', async () => {
  dispatcher.answer = null;
  const finishedLease = lease({ ...STUB, trigger: 'version:1.0-9' });
  dispatcher.grant(finishedLease);
  await dispatcher.until('report', ({ name }) => name === 'finished');
  await proctor.kill('worker', 'SIGKILL');
  await proctor.restart('worker');
  dispatcher.answer = 'recorded';
  const first = dispatcher.messages.filter(
    (message) => message.kind === 'report' && message.name === 'finished',
  ).length;
  const isAgain = () =>
    dispatcher.messages.filter((message) => message.kind === 'report' && message.name === 'finished').length >
    first;
  await dispatcher.until('report', isAgain);
  expect(await until(async () => (await readdir(join(workPath, 'results'))).length === 0)).toBe(true);

  const { mark } = await grantHanging();
  await proctor.kill('worker', 'SIGKILL');
  expect(await until(() => Promise.resolve(processesWith(mark).length === 0))).toBe(true);
  await proctor.restart('worker');
  // Beside the folders of attempts, the new life may have one where it tries its sandbox.
  const attempts = (await readdir(join(workPath, 'runs'))).filter((name) => /^\d+-\d+$/.test(name));
  expect(attempts).toEqual([]);
});
