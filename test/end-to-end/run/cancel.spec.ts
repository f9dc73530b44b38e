import { writeFile } from 'node:fs/promises';
import { Client, type ResultObject } from '@test/support/client';
import { hostArchitecture } from '@test/support/host-architecture';
import { startProctor, type RunningProctor } from '@test/support/proctor';
import { silenceLog } from '@test/support/silent-log';
import { Marks, STUB_SUITE, stubConfiguration } from '@test/support/stub';
import { until } from '@test/support/until';
import { newMark, processesWith } from '../worker/processes-with';

silenceLog();

const arch = hostArchitecture();
const HOUR_MS = 3_600_000;

let proctor: RunningProctor;
let client: Client;
let marks: Marks;

beforeAll(async () => {
  // No renewal and no poll of a slot within the test: a worker learns of a cancellation by its signal or never.
  const scheduler = {
    leaseTtlMs: 2 * HOUR_MS,
    leaseRenewMs: HOUR_MS,
    askAgainMs: HOUR_MS,
    ownershipTtlMs: 1_500,
  };
  proctor = await startProctor({ config: stubConfiguration(scheduler, 1) });
  client = Client.of(proctor);
});

afterAll(() => proctor?.stop());

beforeEach(async () => {
  marks = await Marks.make();
});
afterEach(() => marks?.remove());

/** Processes of an attempt: the test itself, and a child in a session of its own. */
interface Deaf {
  runId: number;
  processes: () => number[];
}

/** A run under way that SIGTERM does not end. */
async function deafRun(): Promise<Deaf> {
  const mark = newMark();
  const trigger = `child:${mark} append:${marks.path('executed')} hang`;
  const runId = await client.submitOne(STUB_SUITE, arch, { package: `deaf-${mark}`, trigger });
  const processes = (): number[] => [...processesWith(`deaf-${mark}`), ...processesWith(mark)];
  await client.runThat(runId, ({ state }) => state === 'running');
  const isUnderWay = async (): Promise<boolean> =>
    (await marks.count('executed')) === 1 && processesWith(mark).length > 0;
  if (!(await until(isUnderWay))) throw new Error('it was not executed');
  return { runId, processes };
}

async function cancel(runId: number): Promise<ResultObject> {
  const response = await client.fetch(`/api/v1/test/${runId}`, { method: 'DELETE' });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as ResultObject;
}

const CANCELLED = { status: 'tmpfail', state: 'finished', message: 'cancelled by admin' };

async function expectGone({ processes }: Deaf): Promise<void> {
  await until(() => Promise.resolve(processes().length === 0));
  expect(processes()).toEqual([]);
}

it('a cancelled test that is deaf to SIGTERM is gone long before its worker would ask for it, and its slot takes the next run', async () => {
  const deaf = await deafRun();
  const next = await client.submitOne(STUB_SUITE, arch, { package: 'next' });
  expect(await cancel(deaf.runId)).toMatchObject(CANCELLED);
  await expectGone(deaf);
  expect(await client.finished(next)).toMatchObject({ status: 'pass', attempt: 1 });
  expect(await client.run(deaf.runId)).toMatchObject({ ...CANCELLED, attempt: 1 });
});

it('a test that is cancelled while the scheduler is dead is stopped once it is back', async () => {
  const deaf = await deafRun();
  await proctor.kill('scheduler', 'SIGKILL');
  expect(await cancel(deaf.runId)).toMatchObject(CANCELLED);
  expect(deaf.processes()).not.toEqual([]);
  await proctor.restart('scheduler');
  await expectGone(deaf);
  const next = await client.submitOne(STUB_SUITE, arch, { package: 'next' });
  expect(await client.finished(next)).toMatchObject({ status: 'pass', attempt: 1 });
  expect(await client.run(deaf.runId)).toMatchObject({ ...CANCELLED, attempt: 1 });
});

it('a waiting run that is cancelled while the scheduler is dead is never executed', async () => {
  const blocking = await client.submitOne(STUB_SUITE, arch, {
    package: 'first',
    trigger: `wait-for:${marks.path('go')}`,
  });
  await client.runThat(blocking, ({ state }) => state === 'running');
  const trigger = `append:${marks.path('executed')}`;
  const takenIn = await client.submitOne(STUB_SUITE, arch, { package: 'taken-in', trigger });
  await client.runThat(takenIn, ({ reasons = [] }) => reasons.some((reason) => /slot|busy/.test(reason)));
  await proctor.kill('scheduler', 'SIGKILL');
  const unseen = await client.submitOne(STUB_SUITE, arch, { package: 'unseen', trigger });
  for (const runId of [takenIn, unseen]) expect(await cancel(runId)).toMatchObject(CANCELLED);
  // With the same priority it would come after both.
  const last = await client.submitOne(STUB_SUITE, arch, { package: 'last' });
  await proctor.restart('scheduler');
  await writeFile(marks.path('go'), '');
  expect(await client.finished(last)).toMatchObject({ status: 'pass' });
  expect(await client.finished(blocking)).toMatchObject({ status: 'pass', attempt: 1 });
  expect(await marks.lines('executed')).toEqual([]);
  for (const runId of [takenIn, unseen])
    expect(await client.run(runId)).toMatchObject({ ...CANCELLED, attempt: 0 });
});
