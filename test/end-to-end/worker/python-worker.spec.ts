import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { connectBus, type Bus } from '@proctor/bus';
import type { Grant } from '@proctor/contracts';
import { Client } from '@test/support/client';
import { connectTo } from '@test/support/database';
import { hostArchitecture } from '@test/support/host-architecture';
import { OutputLines } from '@test/support/output-lines';
import { startProctor, type RunningProctor } from '@test/support/proctor';
import { silenceLog } from '@test/support/silent-log';
import { Marks, STUB_SUITE, stubConfiguration } from '@test/support/stub';
import { newMark, processesWith } from './processes-with';
import { until } from '@test/support/until';

silenceLog();

const arch = hostArchitecture();
const project = join(__dirname, '../../..');
const LEASE = { leaseTtlMs: 6_000, leaseRenewMs: 300 };

let proctor: RunningProctor;
let client: Client;
let bus: Bus;
let marks: Marks;
let worker: ChildProcess;
let output: OutputLines;

beforeAll(async () => {
  marks = await Marks.make();
  proctor = await startProctor({
    config: stubConfiguration(LEASE),
    apps: ['api', 'scheduler'],
    workers: ['python'],
  });
  client = Client.of(proctor);
  bus = await connectBus(await proctor.users.operator());
});

afterAll(async () => {
  await bus?.close();
  await proctor?.stop();
  await marks?.remove();
});

beforeEach(() => {
  const options = { arch, suite: STUB_SUITE, backend: 'null', variant: 'stub' };
  const optionWords = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const runner = resolve(project, 'test/stub/autopkgtest-stub');
  output = new OutputLines();
  worker = spawn(
    'python3',
    ['-B', 'test/python-worker/worker.py', ...optionWords, proctor.users.path('python'), runner],
    {
      cwd: project,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  for (const stream of [worker.stdout, worker.stderr]) {
    if (stream) createInterface({ input: stream }).on('line', (line) => output.add('python', line));
  }
});

afterEach(async () => {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  const exit = once(worker, 'exit');
  worker.kill('SIGTERM');
  await exit;
});

/** The first grant of a run, once it is made. */
async function firstGrant(runId: number): Promise<Grant> {
  await client.runThat(runId, ({ attempt }) => attempt === 1);
  const database = await connectTo(proctor.databaseUrl);
  try {
    const grants = 'select run_id as "runId", attempt, epoch as "grantEpoch" from attempts where run_id = $1';
    return (await database.query<Grant>(grants, [runId])).rows[0]!;
  } finally {
    await database.end();
  }
}

/** The live log of a first attempt, as far as the text; chunks are numbered without a gap. */
async function liveLogUntil(runId: number, text: string): Promise<Buffer> {
  const grant = await firstGrant(runId);
  let log = Buffer.alloc(0);
  let next = 0;
  for await (const { chunk, offset, data } of bus.readLog('python', grant, 0)) {
    expect([chunk, offset]).toEqual([next++, log.length]);
    log = Buffer.concat([log, Buffer.from(data, 'base64')]);
    if (log.includes(text)) return log;
  }
  throw new Error(`the log ended without ${text}`);
}

async function cancel(runId: number): Promise<void> {
  expect((await client.fetch(`/api/v1/test/${runId}`, { method: 'DELETE' })).status).toBe(200);
}

it('the example worker leases a run, keeps the lease, streams the log and reports', async () => {
  // It lasts longer than a lease that is not renewed.
  const trigger = `version:3.14-1 lines:4000 append:${marks.path('executed')} sleep:9`;
  const runId = await client.submitOne(STUB_SUITE, arch, { package: 'hello', trigger });
  const live = await liveLogUntil(runId, 'line 4000');
  expect(await client.run(runId)).toMatchObject({ state: 'running', attempt: 1, worker: 'python' });

  const run = await client.finished(runId);
  expect(run).toMatchObject({ status: 'pass', attempt: 1, exit_code: 0, version: '3.14-1' });
  expect(await marks.count('executed')).toBe(1);
  const stored = Buffer.from(await (await fetch(`${proctor.url}${run.log_url}`)).arrayBuffer());
  expect(stored.subarray(0, live.length).equals(live)).toBe(true);
  await output.line('python', new RegExp(`run ${runId} attempt 1: recorded`));
});

it.each([
  ['fail-one', 'fail', 4],
  ['missing-one', 'fail', 12],
])('%s ends as %s with exit code %i', async (name, status, exitCode) => {
  const runId = await client.submitOne(STUB_SUITE, arch, { package: name });
  expect(await client.finished(runId)).toMatchObject({ status, exit_code: exitCode });
});

it('a cancelled run is ended with everything that it has started', async () => {
  const mark = newMark();
  const runId = await client.submitOne(STUB_SUITE, arch, { package: 'long', trigger: `sleep:${mark}` });
  expect(await until(() => Promise.resolve(processesWith(mark).length > 0))).toBe(true);
  await cancel(runId);
  await output.line('python', new RegExp(`run ${runId} attempt 1 was ended`));
  expect(processesWith(mark)).toEqual([]);
});

it('an example worker that gets the signal to end returns its lease', async () => {
  const runId = await client.submitOne(STUB_SUITE, arch, { package: 'hang-on' });
  await client.runThat(runId, ({ state }) => state === 'running');
  const exit = once(worker, 'exit');
  worker.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
  expect(await client.run(runId)).toMatchObject({ state: 'queued', status: null });
  await cancel(runId);
});
