import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SUBJECTS, subjectOf } from '@proctor/contracts';
import { findFreePort } from '@proctor/embedded';
import { peerMsUntil } from '@test/support/peer-clock';
import { startProctor, type RunningProctor } from '@test/support/proctor';
import { until } from '@test/support/until';
import { imageCachePath } from '@test/support/worker-images';
import { FakeDispatcher } from './fake-dispatcher';
import { lease } from './test-machine';

const STUB = { package: 'stub', suite: 'teapot', arch: 'tea', backend: 'null', variant: 'stub' };

/** A worker notices a change before it asks for work the next time by itself, after a minute. */
const NOTICED_MS = 20_000;

let workPath: string;
let port: number;
let proctor: RunningProctor;
let dispatcher: FakeDispatcher;

beforeAll(async () => {
  await mkdir(imageCachePath(), { recursive: true });
  workPath = await mkdtemp(join(imageCachePath(), 'work-'));
  await chmod(workPath, 0o755);
  port = await findFreePort();
  const worker = {
    name: 'machine',
    slots: 1,
    architectures: ['tea'],
    suitesAtStart: ['teapot'],
    backends: ['null'],
    variants: { stub: [resolve('test/stub/autopkgtest-stub')] },
    machineMayBeDestroyed: true,
    workPath,
    metrics: { port },
  };
  proctor = await startProctor({ config: { worker }, apps: ['worker'], env: { PROCTOR_LOG: 'json' } });
  dispatcher = await FakeDispatcher.connect(proctor, 'tea');
});

afterAll(async () => {
  await dispatcher?.close();
  await proctor?.stop();
  await rm(workPath, { recursive: true, force: true });
});

const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);

async function expectNoticed(isNoticed: () => Promise<boolean>): Promise<void> {
  expect(await peerMsUntil(until(isNoticed), () => ask('/health'))).toBeLessThan(NOTICED_MS);
}

/** The lines that the worker has logged about a run. */
function linesAbout(run: number): Record<string, unknown>[] {
  return proctor.output
    .of('worker')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => line['run'] === run);
}

it('a worker reports its state, its numbers and its log lines by run', async () => {
  await dispatcher.until('ask', ({ body }) => body.problem === undefined);
  const idle = await ask('/health');
  expect(idle.status).toBe(200);
  expect(await idle.json()).toMatchObject({
    worker: 'machine',
    ready: true,
    connected: true,
    architectures: ['tea'],
    slots: 1,
    runs: [],
    backends: { null: null },
  });

  const granted = lease({ ...STUB, trigger: 'hang' });
  const { runId } = granted;
  dispatcher.grant(granted);
  await dispatcher.until('report', ({ name, body }) => name === 'started' && body.runId === runId);
  expect(await (await ask('/health')).json()).toMatchObject({
    runs: [{ run: runId, attempt: 1, package: 'stub', suite: 'teapot', backend: 'null' }],
  });
  expect(await (await ask('/metrics')).text()).toContain('\nproctor_worker_runs 1\n');

  dispatcher.bus.signal('proctor.worker.machine.stop', { runId, attempt: 1, reason: 'enough' });
  const hasEnded = async () => {
    return (await (await ask('/metrics')).text()).includes('attempts_total{verdict="none"} 1');
  };
  expect(await until(hasEnded)).toBe(true);
  // What it has written may be read a moment after what it answers.
  const warning = { level: 'warn', message: expect.stringContaining('enough') };
  const isRead = () => linesAbout(runId).some((line) => String(line['message']).includes('enough'));
  expect(await until(() => Promise.resolve(isRead()))).toBe(true);
  const messages = linesAbout(runId);
  expect(messages).toContainEqual(
    expect.objectContaining({ worker: 'machine', attempt: 1, message: expect.stringContaining('begins') }),
  );
  expect(messages).toContainEqual(expect.objectContaining(warning));
});

it('a worker with less free disk than its limit says so and takes no work', async () => {
  const file = join(proctor.home.path, 'config/worker.yaml');
  const before = await readFile(file, 'utf8');
  await writeFile(file, `${before}freeDiskBytesMin: ${2 ** 50}\n`);
  const answers = async (status: number) => (await ask('/health')).status === status;
  await expectNoticed(() => answers(503));
  expect(await (await ask('/health')).json()).toMatchObject({
    problem: expect.stringContaining('less than freeDiskBytesMin (1073741824 MiB)'),
    lacks: [{ of: 'disk', why: expect.stringContaining('free on the disk of'), seconds: expect.any(Number) }],
  });
  expect(await (await ask('/metrics')).text()).toContain('\nproctor_worker_lacking{of="disk"} 1\n');
  await proctor.output.line('worker', /no work is taken: \d+ MiB free on the disk/);
  dispatcher.bus.signal(subjectOf(SUBJECTS.workWaiting, 'tea'), {});
  await dispatcher.until('ask', ({ body }) => body.problem?.includes('freeDiskBytesMin') ?? false);
  await writeFile(file, before);
  await expectNoticed(() => answers(200));
});

it('a worker without NATS is not ready', async () => {
  await proctor.kill('nats', 'SIGKILL');
  const isAway = async () => (await ask('/health')).status === 503;
  expect(await until(isAway)).toBe(true);
  await proctor.restart('nats');
  const isBack = async () => (await ask('/health')).status === 200;
  expect(await until(isBack)).toBe(true);
});
