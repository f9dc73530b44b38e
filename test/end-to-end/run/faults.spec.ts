import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { connectBus } from '@proctor/bus';
import { SUBJECTS, subjectOf } from '@proctor/contracts';
import { openDatabase } from '@proctor/database';
import { Client } from '../../support/client';
import { hostArchitecture } from '../../support/host-architecture';
import { startProctor, type RunningProctor } from '../../support/proctor';
import { Marks, STUB_SUITE, stubConfiguration } from '../../support/stub';
import { silenceLog } from '../../support/silent-log';
import { until } from '../../support/until';

jest.setTimeout(120_000);
silenceLog();

const arch = hostArchitecture();

let proctor: RunningProctor;
let client: Client;
let marks: Marks;

beforeEach(async () => {
  marks = await Marks.make();
  const scheduler = {
    leaseTtlMs: 3_000,
    leaseRenewMs: 500,
    ownershipTtlMs: 1_500,
    retryDelayMs: 200,
    arrivalPollMs: 2_000,
  };
  proctor = await startProctor({ config: stubConfiguration(scheduler) });
  client = Client.of(proctor);
});

afterEach(async () => {
  await proctor?.stop();
  await marks?.remove();
});

/** A run that marks its execution and then waits for the file `go`. */
async function waitingRun(): Promise<number> {
  const trigger = `append:${marks.path('executed')} wait-for:${marks.path('go')}`;
  const runId = await client.submitOne(STUB_SUITE, arch, { package: 'patient', trigger });
  await client.runThat(runId, (run) => run.state === 'running');
  if (!(await until(async () => (await marks.count('executed')) === 1, 10_000)))
    throw new Error('it was not executed');
  return runId;
}

function go(): Promise<void> {
  return writeFile(marks.path('go'), '');
}

test('a run whose worker is killed is finished by another attempt', async () => {
  const runId = await waitingRun();
  await proctor.kill('worker', 'SIGKILL');
  await client.runThat(runId, (run) => run.state === 'queued');
  await go();
  await proctor.restart('worker');
  const run = await client.finished(runId);
  expect(run).toMatchObject({ status: 'pass', attempt: 2 });
  expect(await marks.count('executed')).toBe(2);
});

test('a scheduler that is killed and started again mid-run costs no second execution', async () => {
  const runId = await waitingRun();
  await proctor.kill('scheduler', 'SIGKILL');
  await proctor.restart('scheduler');
  await go();
  expect(await client.finished(runId)).toMatchObject({ status: 'pass', attempt: 1 });
  expect(await marks.count('executed')).toBe(1);
});

test('a result that arrives while the scheduler is away for longer than a lease counts', async () => {
  const runId = await waitingRun();
  await proctor.kill('scheduler', 'SIGKILL');
  await go();
  await proctor.output.line('worker', new RegExp(`run ${runId} attempt 1: pass`));
  await proctor.restart('scheduler');
  expect(await client.finished(runId)).toMatchObject({ status: 'pass', attempt: 1 });
  expect(await marks.count('executed')).toBe(1);
});

test('a worker that stalls past its lease and comes back: its result counts unless a newer attempt was granted', async () => {
  const runId = await waitingRun();
  await proctor.kill('worker', 'SIGSTOP');
  await client.runThat(runId, (run) => run.state === 'queued');
  await go();
  await proctor.kill('worker', 'SIGCONT');
  const run = await client.finished(runId);
  expect(run.status).toBe('pass');
  expect(await marks.count('executed')).toBe(run.attempt);
});

test('a request is accepted while nats-server and the scheduler are away, and executed when they are back', async () => {
  await proctor.kill('scheduler', 'SIGKILL');
  await proctor.kill('nats', 'SIGKILL');
  const runId = await client.submitOne(STUB_SUITE, arch, { package: 'early' });
  expect(await client.run(runId)).toMatchObject({
    status: null,
    reasons: [`no scheduler answers for ${arch}`],
  });
  await proctor.restart('nats');
  await proctor.restart('scheduler');
  expect(await client.finished(runId, 60_000)).toMatchObject({ status: 'pass' });
});

test('a run whose command was lost is found by the poll', async () => {
  const database = await openDatabase(proctor.databaseUrl);
  try {
    const requestor = await database.apiKeys.authenticate(proctor.adminKey);
    if (!requestor) throw new Error('the key of the test is not known');
    const request = {
      package: 'quiet',
      suite: STUB_SUITE,
      arch,
      backend: 'null',
      variant: 'stub',
      priority: 5,
    };
    const rest = { trigger: null, pinPackages: [], extraAptSources: [], isPrivate: false };
    const [runId] = await database.submissions.submit([{ ...request, ...rest }], requestor);
    expect(await client.finished(runId as number, 10_000)).toMatchObject({ status: 'pass' });
  } finally {
    await database.close();
  }
});

test('a report of an attempt that is not the latest writes nothing', async () => {
  const runId = await waitingRun();
  const { worker } = await client.run(runId);
  await proctor.kill('worker', 'SIGKILL');
  await proctor.restart('worker');
  await client.runThat(runId, (run) => run.state === 'running' && run.attempt === 2);

  const bus = await connectBus(proctor.natsUrl, 'late-worker');
  try {
    const answered = new Promise<unknown>((resolve) => {
      bus.subscribe(subjectOf(SUBJECTS.recorded, String(worker)), ({ text }) => resolve(JSON.parse(text)));
    });
    await bus.flush();
    const late = { worker, incarnation: randomUUID(), slot: 0, runId, attempt: 1, files: [] };
    const verdict = { verdict: 'fail', message: 'too late', exitCode: 4, version: '0', durationSeconds: 1 };
    await bus.report(subjectOf(SUBJECTS.finished, arch), { ...late, ...verdict });
    expect(await answered).toMatchObject({ runId, attempt: 1, answer: 'stale' });
  } finally {
    await bus.close();
  }
  expect(await client.run(runId)).toMatchObject({ status: null, attempt: 2, message: null });
  await go();
  expect(await client.finished(runId)).toMatchObject({ status: 'pass', attempt: 2, version: '1.0-1' });
});
