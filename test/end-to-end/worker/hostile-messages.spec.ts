import { rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Credentials } from '@proctor/bus';
import { isOnSubject, reportStream, SUBJECTS, subjectOf } from '@proctor/contracts';
import { hostArchitecture } from '@test/support/host-architecture';
import { natsClient } from '@test/support/nats-client';
import { startProctor, type RunningProctor } from '@test/support/proctor';
import { stubConfiguration } from '@test/support/stub';
import { PATIENCE_MS, until } from '@test/support/until';
import { messagesFor, subjectsOfServices, subjectsOfWorker, type HostileMessage } from './hostile/messages';

/** Other tests run beside this one, and share its processors. */
const BUSY = 3;
/** How long a message may hold the event loop of the scheduler, milliseconds: 50 and 20 where nothing else runs. */
const ACCEPTED_MS = 50 * BUSY;
const REFUSED_MS = 20 * BUSY;
/** What was too long is measured again: the processor may have had something else to do, as to compile or to collect. */
const TRIES = 5;
const ANSWER_MS = PATIENCE_MS;

const arch = hostArchitecture();
const HOSTILE = 'hostile';

let proctor: RunningProctor;
let socketPath: string;
let hostile: NatsConnection;
/** May publish on each subject. */
let operator: NatsConnection;
let streams: JetStreamManager;
/** The loop of this process, on the same machine at the same time. */
const bare = monitorEventLoopDelay({ resolution: 2 });

/** @param asker whose answers it gets */
const clientOf = (credentials: Credentials, asker: string): Promise<NatsConnection> =>
  natsClient(credentials, { inboxPrefix: `_INBOX.${asker}` });

beforeAll(async () => {
  socketPath = join('/tmp', `proctor-loop-${process.pid}.sock`);
  const loop = join(__dirname, '../api/loop/watch.cjs');
  proctor = await startProctor({
    apps: ['scheduler'],
    config: stubConfiguration({ ownershipTtlMs: 60_000 }),
    workers: [HOSTILE],
    env: { NODE_OPTIONS: `--require ${loop}`, PROCTOR_TEST_LOOP: socketPath },
  });
  hostile = await clientOf(await proctor.users.read(HOSTILE), HOSTILE);
  operator = await clientOf(await proctor.users.operator(), 'api');
  streams = await jetstreamManager(operator, { timeout: ANSWER_MS });
  bare.enable();
});
afterAll(async () => {
  bare.disable();
  await Promise.all([hostile?.close(), operator?.close()]);
  await proctor?.stop();
  await rm(socketPath, { force: true });
});

/** How long the loop of the scheduler was held since the last look, at most. */
async function look(): Promise<number> {
  const delays = JSON.parse(await text(createConnection(socketPath))) as {
    processorMs: number;
    delayMs: number;
  };
  return Math.min(delays.processorMs, delays.delayMs);
}

/** Reports that wait, or were not settled. */
async function unsettled(): Promise<number> {
  const { num_pending: waiting, num_ack_pending: unanswered } = await streams.consumers.info(
    reportStream(arch, HOSTILE),
    'dispatcher',
  );
  return waiting + unanswered;
}

const ASKED: string[] = [SUBJECTS.status, SUBJECTS.explain];

function isSignal(subject: string): boolean {
  const isOfServices = Object.values(SUBJECTS).some((pattern) => isOnSubject(pattern, subject));
  return isOfServices && !ASKED.some((pattern) => isOnSubject(pattern, subject));
}

/** Resolves once it was handled. @returns whether it was accepted */
async function send(from: NatsConnection, subject: string, message: HostileMessage): Promise<boolean> {
  // A signal has no answer: what is asked behind it comes after it.
  if (isSignal(subject)) {
    from.publish(subject, message.payload, { ...(message.headers && { headers: message.headers }) });
    await from.request(subjectOf(SUBJECTS.status, arch), '{}', { timeout: ANSWER_MS });
    return true;
  }
  const options = { timeout: ANSWER_MS, ...(message.headers && { headers: message.headers }) };
  const isAccepted = await from.request(subject, message.payload, options).then(
    (answer) => !answer.string().includes('"error"'),
    // Without a listener, or without an answer, it has no effect.
    (error: Error) => {
      if (/no responders/.test(error.message)) return false;
      throw error;
    },
  );
  if (!subject.startsWith('proctor.report.')) return isAccepted;
  expect(await until(async () => (await unsettled()) === 0, ANSWER_MS)).toBe(true);
  return false;
}

const longest: { name: string; heldMs: number }[] = [];

/** @throws when the loop was held for too long, each time */
async function expectShort(from: NatsConnection, subject: string, message: HostileMessage): Promise<void> {
  const name = `${message.name} on ${subject}`;
  let [least, most] = [Infinity, 0];
  for (let trial = 0; trial < TRIES && least > most; trial += 1) {
    await look();
    bare.reset();
    const isAccepted = await send(from, subject, message);
    most = isAccepted ? ACCEPTED_MS : REFUSED_MS;
    // What a loop waits that has nothing but this message to send, other programs make both wait.
    least = Math.min(least, Math.max(0, (await look()) - bare.max / 1e6));
  }
  longest.push({ name, heldMs: least });
  if (least > most) throw new Error(`${name} held the event loop for ${Math.round(least)} ms`);
}

it('no message that a worker may send holds the event loop of the scheduler, and none comes back for ever', async () => {
  const subjects = await subjectsOfWorker(proctor.home.nats, HOSTILE);
  expect(subjects.length).toBeGreaterThan(10);
  for (const subject of subjects)
    for (const message of messagesFor(subject)) await expectShort(hostile, subject, message);
  longest.sort((a, b) => b.heldMs - a.heldMs);
  const slowest = longest.slice(0, 8).map(({ name, heldMs }) => `${Math.round(heldMs)} ms ${name}`);
  console.info(`${longest.length} messages to ${subjects.join(' ')}; longest:\n${slowest.join('\n')}`);
});

it('no message between the services holds it, should a stranger reach their subjects', async () => {
  longest.length = 0;
  for (const subject of subjectsOfServices(arch))
    for (const message of messagesFor(subject)) await expectShort(operator, subject, message);
  longest.sort((a, b) => b.heldMs - a.heldMs);
  const slowest = longest.slice(0, 8).map(({ name, heldMs }) => `${Math.round(heldMs)} ms ${name}`);
  console.info(`${longest.length} messages; longest:\n${slowest.join('\n')}`);
});
