import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { jetstream, jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { headers, millis, type NatsConnection } from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';
import { BUS_LIMITS, connectBus, type Bus, type BusLimits, type StagingContents } from '@proctor/bus';
import {
  EVENT_STREAM,
  logStream,
  logSubject,
  reportStream,
  reportSubject,
  stagingStream,
} from '@proctor/contracts';
import { natsClient } from '@test/support/nats-client';
import { PATIENCE_MS, until } from '@test/support/until';
import { ownNats } from './nats-server';

Logger.overrideLogger(false);

const FULL = /maximum messages exceeded/;
const GRANT = { runId: 7, attempt: 1, grantEpoch: 3 };
/** One for each test: the streams of a worker are made with the limits of the test. */
const WORKERS = Array.from({ length: 12 }, (_, number) => `w${number}`);
const fresh = WORKERS.values();

let server: Awaited<ReturnType<typeof ownNats>>;
let streams: JetStreamManager;
let operator: NatsConnection;
/** In whose name the test publishes. */
let worker: string;
const buses: Bus[] = [];

beforeAll(async () => {
  server = await ownNats(WORKERS.map((name) => ({ name, architectures: ['amd64'] })));
  operator = await natsClient(server.operator);
  streams = await jetstreamManager(operator, { timeout: PATIENCE_MS });
});
beforeEach(() => void (worker = fresh.next().value!));
afterAll(async () => {
  await Promise.all(buses.map((bus) => bus.close()));
  await operator?.close();
  await server?.remove();
});

/** @param user a scheduler may stage nothing */
async function busWith(limits: Partial<BusLimits>, user?: 'scheduler'): Promise<Bus> {
  const credentials = user ? await server.users.read(user) : server.operator;
  const bus = await connectBus(credentials, { limits, makesStreams: true });
  buses.push(bus);
  await bus.prepareWorkers([worker]);
  await bus.prepareReports('amd64', [worker]);
  return bus;
}

const publish = (subject: string, text = 'x') =>
  jetstream(operator, { timeout: PATIENCE_MS }).publish(subject, text, { timeout: PATIENCE_MS });
const log = () => logSubject(worker, GRANT);
const staged = (what: string) => `proctor.staging.${worker}.${what}`;
const reports = () => reportStream('amd64', worker);
const report = (runId: number) => reportSubject('amd64', 'finished', { worker, ...GRANT, runId });
const messagesOf = async (stream: string) => (await streams.streams.info(stream)).state.messages;

async function fileOf(bus: Bus, number: number): Promise<string> {
  const content = await bus.readStaged(worker, `${number}/1/3/log.gz`);
  const text = content && buffer(content).then(String);
  return (await text?.catch((error: Error) => error.message.replace(/.* is gone from .*/, 'gone'))) ?? 'gone';
}

async function areaOf(bus: Bus): Promise<StagingContents> {
  for await (const area of bus.listStaging()) if (area.worker === worker) return area;
  throw new Error('the area is empty');
}

it('each stream has a bound of bytes, of messages, of the length of one and of age; reports have no age', async () => {
  await busWith({});
  const bounds: Record<string, number[]> = {};
  for await (const { config } of streams.streams.list()) {
    if (!config.name.endsWith(worker) && config.name !== EVENT_STREAM) continue;
    const { max_bytes, max_msgs, max_msg_size, max_age, duplicate_window } = config;
    bounds[config.name] = [max_bytes, max_msgs, max_msg_size, millis(max_age), millis(duplicate_window)];
  }
  const limits = BUS_LIMITS;
  const { reportsBytesMax, reportsMax, reportBytesMax, idsKeptMs } = limits;
  const { logsBytesMax, logsMax, logChunkBytesMax, logsAgeMaxMs } = limits;
  const { stagingBytesMax, stagingMax, stagingChunkBytesMax, stagingAgeMaxMs } = limits;
  const { eventsBytesMax, eventsMax, eventsAgeMaxMs } = limits;
  expect(bounds).toEqual({
    [reports()]: [reportsBytesMax, reportsMax, reportBytesMax, 0, idsKeptMs],
    [logStream(worker)]: [logsBytesMax, logsMax, logChunkBytesMax, logsAgeMaxMs, idsKeptMs],
    [stagingStream(worker)]: [stagingBytesMax, stagingMax, stagingChunkBytesMax, stagingAgeMaxMs, idsKeptMs],
    [EVENT_STREAM]: [eventsBytesMax, eventsMax, reportBytesMax, eventsAgeMaxMs, 120_000],
  });
});

it('short messages fill no stream beyond its number of messages, and an honest worker gets the error that there is no room', async () => {
  await busWith({ stagingMax: 5, reportsMax: 5, logsMax: 5 });
  for (let count = 0; count < 5; count++) {
    await publish(staged(`file.${count}`));
    await publish(report(count));
  }
  await expect(publish(staged('chunk.a'))).rejects.toThrow(FULL);
  await expect(publish(report(9))).rejects.toThrow(FULL);
  // A log forgets its oldest in the place of that.
  for (let count = 0; count < 9; count++) await publish(log(), String(count));
  const { state } = await streams.streams.info(logStream(worker));
  expect([state.messages, state.first_seq]).toEqual([5, 5]);
});

it('the chunks of one attempt take no more than their share of the worker’s live logs', async () => {
  await busWith({ logsMax: 10, logChunksPerAttemptMax: 3 });
  const other = logSubject(worker, { ...GRANT, runId: 8 });
  await publish(other);
  for (let count = 0; count < 9; count++) await publish(log());
  expect(await messagesOf(logStream(worker))).toBe(4);
});

it('a message that is longer than what is published there is refused', async () => {
  await busWith({ reportBytesMax: 1_000, logChunkBytesMax: 1_000, stagingChunkBytesMax: 1_000 });
  for (const subject of [report(1), log(), staged('chunk.a')])
    await expect(publish(subject, 'x'.repeat(1_001))).rejects.toThrow(/message size exceeds/);
  // With the names of its id, as with its content.
  const long = headers();
  long.set('Nats-Msg-Id', 'i'.repeat(1_001));
  await expect(
    jetstream(operator).publish(log(), 'x', { headers: long, timeout: PATIENCE_MS }),
  ).rejects.toThrow(/message size exceeds/);
});

it('the longest chunks that a worker sends are taken', async () => {
  const bus = await busWith({});
  const data = Buffer.alloc(64 * 1024).toString('base64');
  const last = { chunk: 1_000_000_000, offset: 2 ** 40, data, isNote: true };
  await bus.appendLog(worker, { runId: 2 ** 53 - 1, attempt: 999_999_999, grantEpoch: 2 ** 53 - 1 }, last);
  const content = Buffer.alloc(300_000, 'c');
  await bus.stage(worker, '7/1/3/log.gz', Readable.from([content]));
  expect((await buffer((await bus.readStaged(worker, '7/1/3/log.gz'))!)).equals(content)).toBe(true);
});

it('streams of an earlier version get the limits at the next start, and lose no report and damage no file', async () => {
  const before = { max_msgs: -1, max_msg_size: -1, description: 'Proctor, limits 1' };
  const bus = await busWith({});
  for (const name of [reports(), logStream(worker), stagingStream(worker)])
    await streams.streams.update(name, { ...before, duplicate_window: 120_000_000_000 });
  for (let number = 0; number < 8; number++) {
    await publish(report(number));
    await bus.stage(worker, `${number}/1/3/log.gz`, Readable.from([Buffer.from('kept')]));
  }
  const next = await busWith({ stagingMax: 5, reportsMax: 20 });
  expect(await messagesOf(reports())).toBe(8);
  // A server before 2.10 forgets the oldest beyond the limit: their worker still has them, and is asked for them again.
  const [newest, ...older] = await Promise.all(
    [7, 6, 5, 4, 3, 2, 1, 0].map((number) => fileOf(next, number)),
  );
  expect(newest).toBe('kept');
  expect(older.filter((each) => each !== 'kept' && each !== 'gone')).toEqual([]);
  await expect(publish(staged('chunk.a'))).rejects.toThrow(FULL);
});

it('an area of many messages is listed whole, without one answer that names all of them', async () => {
  const bus = await busWith({}, 'scheduler');
  for (let count = 0; count < 2_600; count++) operator.publish(staged(`chunk.u${count % 1_300}`), 'x');
  // They are stored after they have come.
  expect(await until(async () => (await messagesOf(stagingStream(worker))) === 2_600)).toBe(true);
  const { jsm } = Reflect.get(bus, 'link') as { jsm: JetStreamManager };
  const infoSpy = jest
    .spyOn(jsm.streams, 'info')
    .mockImplementation(() => Promise.reject(new Error('asked')));
  const { uploads, strays, messages } = await areaOf(bus);
  expect(new Set(uploads.map(({ id, chunks }) => `${id.slice(0, 1)} ${chunks}`))).toEqual(new Set(['u 2']));
  expect([uploads.length, strays.length, messages]).toEqual([1_300, 0, 2_600]);
  expect(infoSpy).not.toHaveBeenCalled();
});

it('what is part of no upload is listed apart, a part of it at a time, and can be removed', async () => {
  const bus = await busWith({});
  const name = Buffer.from('7/1/3/log.gz').toString('base64url');
  // Beyond the limits of ids and names, and a record that cannot be read; one that is longer than RECORD_BYTES_MAX follows.
  const strays = [
    `chunk.${'i'.repeat(101)}`,
    'chunk.i$',
    'file.!',
    `file.${Buffer.from('n'.repeat(301)).toString('base64url')}`,
    `file.${name}`,
  ];
  for (const stray of strays) await publish(staged(stray), '{"upload":"no chunks"}');
  const long = Buffer.from('9/1/3/log.gz').toString('base64url');
  await publish(staged(`file.${long}`), JSON.stringify({ upload: 'a', chunks: 0, more: 'x'.repeat(1_024) }));
  strays.push(`file.${long}`);
  await bus.stage(worker, '8/1/3/log.gz', Readable.from([Buffer.from('kept')]));
  const area = await areaOf(bus);
  expect([...area.strays].sort()).toEqual([...strays].sort());
  for (const stray of area.strays) await bus.deleteStray(worker, stray);
  expect(await areaOf(bus)).toMatchObject({ strays: [], uploads: [{ name: '8/1/3/log.gz' }], messages: 2 });
  for (let count = 0; count < 1_200; count++) operator.publish(staged(`file.!${count}`), 'x');
  await operator.flush();
  // STRAYS_MAX of them.
  expect((await areaOf(bus)).strays).toHaveLength(1_000);
});

/** LINE_BYTES_MAX of the server's configuration. */
it('a worker does not fill the memory of nats-server with long subjects', async () => {
  const options = { inboxPrefix: `_INBOX.${worker}`, reconnect: false };
  const greedy = await natsClient(await server.users.read(worker), options);
  const closed = greedy.closed();
  greedy.publish(staged(`file.${'n'.repeat(1_100)}`), 'x');
  expect(String(await closed)).toMatch(/maximum control line exceeded/i);
});

it('who says nothing of who it is holds no connection for long', async () => {
  const { hostname, port } = new URL(server.operator.url);
  const silent = connectSocket(Number(port), hostname);
  let output = '';
  silent.on('data', (data: Buffer) => (output += data.toString()));
  await once(silent, 'close');
  expect(output).toMatch(/Authentication Timeout/i);
});
