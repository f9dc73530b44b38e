import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { jetstream, jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { headers, type NatsConnection } from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';
import { BUS_LIMITS, connectBus, IN_VAIN, StreamFull, type Bus } from '@proctor/bus';
import {
  logStream,
  logSubject,
  reportOrigin,
  reportStream,
  reportSubject,
  requestSubject,
  stagingStream,
} from '@proctor/contracts';
import { changeAccounts, EmbeddedNats, findFreePort } from '@proctor/embedded';
import { natsClient } from '@test/support/nats-client';
import { TestUsers } from '@test/support/nats-users';
import { peerMsUntil } from '@test/support/peer-clock';
import { PATIENCE_MS, until } from '@test/support/until';
import { Events } from './events';

Logger.overrideLogger(false);

const ROOM_BYTES = 64 * 1024;
const WORKERS = [
  { name: 'w1', architectures: ['amd64'] },
  { name: 'w2', architectures: ['amd64', 'arm64'] },
];
const GRANT = { runId: 7, attempt: 1, grantEpoch: 3 };
const REPORT = reportSubject('amd64', 'finished', { worker: 'w1', ...GRANT });
/** What a dispatcher needs for a report. */
const HANDLING_MS = 20;
const CHUNK = { chunk: 0, offset: 0, data: 'YQ==' };
/** Documents say: at once. */
const CUT_OFF_MS = 1_000;
const PATIENT = { timeout: PATIENCE_MS };

let folder: string;
let users: TestUsers;
let nats: EmbeddedNats;
let scheduler: Bus;
let other: Bus;
/** A client of w1 that says what it likes. */
let hostile: NatsConnection;
let streams: JetStreamManager;
/** What nats-server said of where asks came from. */
const addresses: (string | undefined)[] = [];
/** The messages that w2 received. */
let texts: string[];
const ends: (() => Promise<unknown>)[] = [];

async function raw(name: string): Promise<NatsConnection> {
  const options = { inboxPrefix: `_INBOX.${name}`, reconnect: false };
  const nc = await natsClient(await users.read(name), options);
  ends.push(() => nc.close());
  return nc;
}

async function bus(name: string): Promise<Bus> {
  const room = { logsBytesMax: ROOM_BYTES, stagingBytesMax: ROOM_BYTES, reportsBytesMax: ROOM_BYTES };
  // A worker that is cut off stays so for the whole test.
  const limits = { ...room, reportsInVainMs: 600_000 };
  const opened = await connectBus(await users.read(name), { limits, makesStreams: name === 'scheduler' });
  ends.push(() => opened.close());
  return opened;
}

const messagesOf = async (stream: string): Promise<number> =>
  (await streams.streams.info(stream)).state.messages;

beforeAll(async () => {
  folder = join(String(process.env['PROCTOR_TEST_FOLDER']), `hostile-${randomUUID()}`);
  const port = await findFreePort();
  users = new TestUsers(`${folder}-users`);
  const accounts = await users.prepare(`nats://127.0.0.1:${port}`, WORKERS);
  const binary = String(process.env['PROCTOR_TEST_NATS_SERVER']);
  nats = new EmbeddedNats({ folder, binary, accounts, port });
  await nats.start();
  scheduler = await bus('scheduler');
  for (const { name, architectures } of WORKERS) {
    await scheduler.prepareWorkers([name]);
    for (const arch of architectures) await scheduler.prepareReports(arch, [name]);
  }
  // Answers as a dispatcher does: with numbers that a stop could have.
  scheduler.subscribe(requestSubject('amd64', '*', 'renew'), ({ respond }) =>
    respond?.(JSON.stringify({ ...GRANT, instruction: 'continue' })),
  );
  scheduler.subscribe(requestSubject('amd64', '*', 'lease'), ({ from }) => addresses.push(from));
  await scheduler.flush();
  other = await bus('w2');
  texts = [];
  other.subscribe('proctor.worker.w2.stop', ({ text }) => texts.push(text));
  await other.flush();
  hostile = await raw('w1');
  streams = await jetstreamManager(await raw('operator'), PATIENT);
});
afterAll(async () => {
  await Promise.all(ends.map((end) => end()));
  await nats?.stop();
  await rm(folder, { recursive: true, force: true });
  await rm(`${folder}-users`, { recursive: true, force: true });
});

it.each([
  ['a request of another worker', requestSubject('amd64', 'w2', 'lease')],
  ['a request to an architecture that is not its own', requestSubject('arm64', 'w1', 'lease')],
  ['a report of another worker', reportSubject('amd64', 'finished', { worker: 'w2', ...GRANT })],
  ['a log of another worker', logSubject('w2', GRANT)],
  ['a file of another worker', 'proctor.staging.w2.chunk.x'],
  ['what a dispatcher says', 'proctor.worker.w2.stop'],
  ['what a dispatcher says to itself', 'proctor.worker.w1.recorded'],
  ['a command', 'proctor.command.amd64.orders'],
  ['a question of the api', 'proctor.query.amd64.explain'],
  ['an event', 'proctor.event.amd64.finished'],
  ['that results have changed', 'proctor.signal.results-changed'],
  ['that keys have changed', 'proctor.signal.keys-changed'],
  ['that a stream is to be made', '$JS.API.STREAM.CREATE.MINE'],
  ['that a stream is to go', `$JS.API.STREAM.DELETE.${logStream('w1')}`],
  ['that a stream is to be emptied', `$JS.API.STREAM.PURGE.${logStream('w2')}`],
  ['that it wants a message of a stream', `$JS.API.STREAM.MSG.GET.${stagingStream('w2')}`],
  ['that it wants a message of a stream at once', `$JS.API.DIRECT.GET.${stagingStream('w2')}`],
  ['that it wants to consume', `$JS.API.CONSUMER.CREATE.${reportStream('amd64', 'w1')}`],
  ['that it wants to know the streams', '$JS.API.STREAM.LIST'],
  ['that a report was handled', `$JS.ACK.${reportStream('amd64', 'w2')}.dispatcher.1.1.1.1.1`],
  ['that the server is to reload', '$SYS.REQ.SERVER.PING'],
  ['an answer to a question that it was not asked', '_R_.abc.def'],
  ['an answer to the api', '_INBOX.api.x'],
])('a worker may not say %s', async (_what, subject) => {
  await expect(hostile.request(subject, '{}', PATIENT)).rejects.toThrow(/Permissions Violation/);
});

it.each([
  '>',
  'proctor.>',
  '_INBOX.>',
  '_INBOX.scheduler.>',
  '_INBOX.w2.>',
  'proctor.worker.w2.*',
  'proctor.worker.*.stop',
  'proctor.event.>',
  'proctor.signal.arm64.work-waiting',
  'proctor.signal.results-changed',
  'proctor.signal.keys-changed',
  'proctor.rpc.>',
  '$JS.>',
  '$SYS.>',
  '_R_.>',
])('a worker may not subscribe to %s', async (subject) => {
  const refusal = new Promise<Error | null>((resolve) => {
    hostile.subscribe(subject, { callback: (error) => resolve(error) });
  });
  expect(String(await refusal)).toMatch(/Permissions Violation/);
});

describe('reply subjects', () => {
  beforeEach(async () => {
    texts.length = 0;
    await other.appendLog('w2', { ...GRANT, runId: Date.now() }, CHUNK);
  });

  /** What was sent before has had its effect: a later message of the same kind has. */
  async function settled(): Promise<void> {
    await hostile.flush();
    await hostile.request(requestSubject('amd64', 'w1', 'renew'), '{}', PATIENT);
    await scheduler.flush();
    scheduler.signal('proctor.worker.w2.stop', { last: true });
    expect(await until(() => Promise.resolve(texts.some((text) => text.includes('last'))))).toBe(true);
  }

  it.each([
    ['a log of another', `$JS.API.STREAM.PURGE.${logStream('w2')}`],
    ['the events', '$JS.API.STREAM.DELETE.PROCTOR_EVENTS'],
    ['another worker', 'proctor.worker.w2.stop'],
    ['the reports of another', reportSubject('amd64', 'finished', { worker: 'w2', ...GRANT })],
  ])('an answer that is sent elsewhere reaches nothing of %s', async (_whose, reply) => {
    const [logs, events, reports] = await Promise.all(
      [logStream('w2'), 'PROCTOR_EVENTS', reportStream('amd64', 'w2')].map(messagesOf),
    );
    hostile.publish(requestSubject('amd64', 'w1', 'renew'), '{}', { reply });
    // The acknowledgement of a stream is an answer too.
    hostile.publish(logSubject('w1', GRANT), JSON.stringify(CHUNK), { reply });
    await settled();
    expect(texts).toEqual([JSON.stringify({ last: true })]);
    expect(
      await Promise.all([logStream('w2'), 'PROCTOR_EVENTS', reportStream('amd64', 'w2')].map(messagesOf)),
    ).toEqual([logs, events, reports]);
  });
});

it('a worker does not choose the address that its messages come from', async () => {
  const lie = JSON.stringify({ host: '192.0.2.1', acc: 'WORKER_w2' });
  const names = ['Nats-Request-Info', 'nats-request-info', 'NATS-REQUEST-INFO'];
  for (const forged of [[], ...names.map((name) => [name]), names, [names[0]!, names[0]!, names[0]!]]) {
    const lies = headers();
    for (const name of forged) lies.append(name, lie);
    hostile.publish(requestSubject('amd64', 'w1', 'lease'), '{}', { headers: lies });
  }
  await hostile.flush();
  await hostile.request(requestSubject('amd64', 'w1', 'renew'), '{}', PATIENT);
  expect(await until(() => Promise.resolve(addresses.length >= 6))).toBe(true);
  expect(addresses).toEqual(Array(6).fill('127.0.0.1'));
});

it('the room of others is not filled by a flood of logs, reports or files', async () => {
  const grant = { ...GRANT, runId: 20 };
  await other.appendLog('w2', grant, CHUNK);
  const before = await messagesOf(logStream('w2'));
  const publisher = jetstream(hostile, PATIENT);
  for (let round = 0; round < 40; round++)
    await publisher.publish(logSubject('w1', { ...GRANT, runId: round + 1 }), 'x'.repeat(8_000));
  expect((await streams.streams.info(logStream('w1'))).state.bytes).toBeLessThanOrEqual(ROOM_BYTES);
  expect(await messagesOf(logStream('w2'))).toBe(before);
  const greedy = await bus('w1');
  await expect(greedy.stage('w1', 'huge', Readable.from([Buffer.alloc(2 * ROOM_BYTES)]))).rejects.toThrow(
    StreamFull,
  );
  await expect(
    other.stage('w2', '20/1/3/log.gz', Readable.from([Buffer.from('mine')])),
  ).resolves.toMatchObject({
    size: 4,
  });
  for (let copy = 0; copy < 20; copy++) hostile.publish(REPORT, JSON.stringify({ copy }));
  await hostile.flush();
  expect(await messagesOf(reportStream('amd64', 'w1'))).toBe(1);
});

/** WORKER_SUBSCRIPTIONS_MAX */
it('the room of others is not taken by subscriptions without end', async () => {
  const greedy = await raw('w1');
  const refusal = (async () => {
    for await (const status of greedy.status()) if (status.type === 'error') return status.error;
    return null;
  })();
  for (let place = 0; place < 2_000; place++) greedy.subscribe(`_INBOX.w1.${place}`);
  expect(String(await refusal)).toMatch(/maximum subscriptions exceeded/i);
  expect(hostile.isClosed()).toBe(false);
});

/** WORKER_CONNECTIONS_MAX */
it('the room of others is not taken by connections without end', async () => {
  const opened: NatsConnection[] = [];
  const open = async (): Promise<void> => {
    while (opened.length < 40) opened.push(await raw('w1'));
  };
  // The server may have closed the connection before its reason is read.
  await expect(open()).rejects.toThrow();
  // The server logs its reason after it has sent it.
  const logged = () => readFile(join(folder, 'server.log'), 'utf8');
  const isLogged = async () => /maximum account active connections/.test(await logged());
  expect(await until(isLogged)).toBe(true);
  expect(opened.length).toBeLessThanOrEqual(8);
  await (await raw('w2')).flush();
  await Promise.all(opened.map((nc) => nc.close()));
  // The server notices the end of a connection after its client.
  const isLetIn = () => raw('w1').then(Boolean, () => false);
  expect(await until(isLetIn)).toBe(true);
});

it('the room of others is not emptied by a header, and no message id is used before its owner', async () => {
  const grant = { ...GRANT, runId: 21 };
  const rollup = headers();
  rollup.set('Nats-Rollup', 'all');
  await expect(
    jetstream(hostile, PATIENT).publish('proctor.staging.w1.file.eA', '{}', { headers: rollup }),
  ).rejects.toThrow(/rollup/);
  await jetstream(hostile, PATIENT).publish(logSubject('w1', grant), '{}', { msgID: '21.1.3.0' });
  const before = await messagesOf(logStream('w2'));
  await other.appendLog('w2', grant, CHUNK);
  expect(await messagesOf(logStream('w2'))).toBe(before + 1);
});

describe('a flood', () => {
  /** At most so many of it are handled: those that were begun when the limit was reached, too. */
  const HANDLED_MAX = BUS_LIMITS.reportsInVainMax + BUS_LIMITS.reportsPendingMax;
  const ROUNDS = 30;
  let [handled, inHand, mostAtOnce] = [0, 0, 0];
  let runId = 1_000;
  const madeUp = () => reportSubject('amd64', 'finished', { ...GRANT, worker: 'w1', runId: runId++ });
  const flood = (reports: number) => {
    for (let count = 0; count < reports; count++) hostile.publish(madeUp(), '{}');
    return hostile.flush();
  };
  /** As a dispatcher does that needs some time for each. */
  const consume = (recorded: (subject: string) => void) =>
    scheduler.consumeReports('amd64', async ({ subject }) => {
      if (reportOrigin(subject)?.worker === 'w2') return recorded(subject);
      handled++;
      mostAtOnce = Math.max(mostAtOnce, ++inHand);
      await pause(HANDLING_MS);
      inHand--;
      return IN_VAIN;
    });

  it('a flood of reports of runs that there are not fills the stream of its worker, and each report of another is stored and recorded nevertheless', async () => {
    const recorded = new Events<string>();
    let goesOn = true;
    const flooding = (async () => {
      while (goesOn) await flood(500);
    })();
    const isFull = () =>
      jetstream(hostile)
        .publish(madeUp(), '{}')
        .then(
          () => false,
          (error: Error) => error.message.includes('maximum bytes'),
        );
    expect(await until(isFull)).toBe(true);
    const consumption = await consume(recorded.push);
    for (let round = 1; round <= ROUNDS; round++) {
      const own = reportSubject('amd64', 'finished', { ...GRANT, worker: 'w2', runId: round });
      await other.report(own, {});
      expect(await recorded.next()).toBe(own);
    }
    await consumption.stop();
    goesOn = false;
    await flooding;
    expect(mostAtOnce).toBeLessThanOrEqual(BUS_LIMITS.reportsPendingMax);
    expect(handled).toBeLessThanOrEqual(HANDLED_MAX);
  });
});

it('a worker that is taken out is cut off within a second, and no other is', async () => {
  const text = await users.without('w1');
  const isCutOff = Promise.all([hostile.closed(), changeAccounts(folder, text)]);
  expect(await peerMsUntil(isCutOff, () => other.flush())).toBeLessThan(CUT_OFF_MS);
  expect(other.isConnected()).toBe(true);
  await expect(raw('w1')).rejects.toThrow(/authorization/i);
});
