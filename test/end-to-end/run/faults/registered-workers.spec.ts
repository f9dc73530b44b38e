import { randomUUID } from 'node:crypto';
import { connectBus, type Bus } from '@proctor/bus';
import { hostWorkerName } from '@proctor/config';
import { reportSubject, SUBJECTS, subjectOf } from '@proctor/contracts';
import { openDatabase, type OpenDatabase } from '@proctor/database';
import { accountsOf, expectEachPassedOnce } from '@test/support/accounts';
import { Machine } from '@test/support/command-line';
import { silenceLog } from '@test/support/silent-log';
import { STUB_SUITE } from '@test/support/stub';
import { arch, Stage } from './stage';

silenceLog();

/** The dispatcher learns of a change by the command alone. */
const NO_POLL = { arrivalPollMs: 600_000 };

let stage: Stage;
let machine: Machine;
let bus: Bus;
let database: OpenDatabase;

beforeAll(async () => {
  stage = await Stage.open({ apps: ['api', 'scheduler'], slots: 1, scheduler: NO_POLL });
  machine = await Machine.make();
  await machine.configure('proctor.yaml', `architectures: [${arch}]\n`);
  bus = await connectBus(await stage.proctor.users.operator());
  database = await openDatabase(stage.proctor.databaseUrl);
});

beforeEach(() => stage.withdrawGo());

afterAll(async () => {
  await bus?.close();
  await database?.close();
  await machine?.remove();
  await stage?.close();
});

async function proctor(...args: string[]): Promise<void> {
  const { databaseUrl, users } = stage.proctor;
  const env = { PROCTOR_DATABASE_URL: databaseUrl, PROCTOR_NATS_USERS: users.folder };
  const { code, stderr } = await machine.program(['worker', ...args], '', env);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^worker /)]);
}

it('private tests are executed only where they may be', async () => {
  const { client } = stage;
  await proctor('revoke', 'second');
  await proctor('add', 'second', '--arch', arch);
  await stage.proctor.restart('worker2');
  const item = (name: string) => stage.items(1, name)[0]!;
  const secret = await client.submitOne(STUB_SUITE, arch, { ...item('secret'), is_private: true });
  const visible = await client.submitOne(STUB_SUITE, arch, item('open'));
  expect(await client.finished(visible)).toMatchObject({ status: 'pass', worker: 'second' });
  const waiting = await client.run(secret);
  expect(waiting.state).toBe('queued');
  expect(waiting.reasons).toEqual([
    expect.stringMatching(/^no worker that may run private tests has sent a message in the last/),
  ]);
  await stage.proctor.restart('worker');
  expect(await client.finished(secret)).toMatchObject({ status: 'pass', attempt: 1 });
  expect((await client.run(secret)).worker).not.toBe('second');
});

it('a worker that is revoked ends its test, which another executes at once; added again, it works again', async () => {
  await stage.proctor.kill('worker2', 'SIGINT');
  const runId = await stage.waitingRun('taken');
  await stage.proctor.restart('worker2');
  const { worker: name } = await stage.client.run(runId);
  await proctor('revoke', String(name), '--reason', 'sold');
  await stage.proctor.output.line('worker', new RegExp(`run ${runId} attempt 1 was ended`));
  const run = await stage.client.runThat(runId, (each) => each.attempt === 2 && each.state === 'running');
  expect(run.worker).not.toBe(name);
  await stage.proctor.output.line('worker', /the dispatcher of .* says: worker .* was revoked/);
  await stage.go();
  const [account] = await expectEachPassedOnce(stage, [runId]);
  expect(account?.outcomes).toEqual(['returned', 'finished']);
  const facts = await database.facts.ofRun(runId);
  const reason = `worker ${String(name)} was revoked by admin: sold`;
  expect(facts).toContainEqual(expect.objectContaining({ kind: 'requeued', reason }));

  await proctor('add', String(name), '--arch', arch);
  await stage.proctor.output.line('worker', /the dispatcher of .* no longer says: worker .* was revoked/);
  await stage.proctor.kill('worker2', 'SIGINT');
  const [next = 0] = await stage.submit(1, 'next');
  expect(await stage.client.finished(next)).toMatchObject({ worker: name, status: 'pass' });
});

it('what a revoked worker reports changes nothing, and its answer says so', async () => {
  const { client } = stage;
  await stage.proctor.kill('worker', 'SIGINT');
  await stage.proctor.restart('worker2');
  const runId = await stage.waitingRun('reported');
  const worker = String((await client.run(runId)).worker);
  await proctor('revoke', worker);
  await client.runThat(runId, ({ state }) => state === 'queued');
  const before = await accountsOf(stage.proctor, [runId]);
  const answer = new Promise<unknown>((resolve) => {
    bus.subscribe(subjectOf(SUBJECTS.recorded, worker), ({ text }) => resolve(JSON.parse(text)));
  });
  await bus.flush();
  const grant = { worker, incarnation: randomUUID(), slot: 0, runId, attempt: 1, files: [] };
  const result = { verdict: 'pass', message: 'mine', exitCode: 0, version: '6.6', durationSeconds: 1 };
  await bus.report(reportSubject(arch, 'finished', grant), { ...grant, ...result });
  const reason = expect.stringContaining(`worker ${worker} may not report`) as string;
  expect(await answer).toMatchObject({ runId, attempt: 1, answer: 'refused', reason });
  expect(await accountsOf(stage.proctor, [runId])).toEqual(before);
  expect(before).toMatchObject([{ state: 'queued', outcomes: ['returned'] }]);

  await stage.go();
  await stage.proctor.restart('worker');
  await expectEachPassedOnce(stage, [runId]);
  expect(await client.run(runId)).toMatchObject({ worker: hostWorkerName(), attempt: 2, version: '1.0-1' });
  // What was seen and refused since the last minute is written when it ends.
  await stage.proctor.kill('scheduler', 'SIGTERM');
  const noted = await database.workerRegister.find(worker);
  expect(noted).toMatchObject({ lastRefusal: expect.stringContaining('was revoked') as string });
  expect(noted?.refusals).toBeGreaterThan(0);
  expect(await database.workerRegister.find(hostWorkerName())).toMatchObject({
    lastSeenAt: expect.any(Date) as Date,
  });
});
