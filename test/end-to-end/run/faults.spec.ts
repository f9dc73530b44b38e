import { writeFile } from 'node:fs/promises';
import { Client } from '../../support/client';
import { hostArchitecture } from '../../support/host-architecture';
import { startProctor, type RunningProctor } from '../../support/proctor';
import { Marks, STUB_SUITE, stubConfiguration } from '../../support/stub';
import { until } from '../../support/until';

jest.setTimeout(120_000);

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
