import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import timers, { setImmediate } from 'node:timers/promises';
import type { JetStreamManager } from '@nats-io/jetstream';
import { Logger } from '@nestjs/common';
import {
  connectBus,
  newCredentials,
  NoAnswer,
  type Bus,
  type Credentials,
  type ReportMessage,
} from '@proctor/bus';
import {
  logStream,
  reportStream,
  stagingStream,
  SUBJECTS,
  subjectOf,
  type Fact,
  type LogChunk,
} from '@proctor/contracts';
import type { EmbeddedNats } from '@proctor/embedded';
import { linkTo } from '@test/support/cuttable-link';
import { peerMsUntil } from '@test/support/peer-clock';
import { PATIENCE_MS, until } from '@test/support/until';
import { Events } from './events';
import { ownNats } from './nats-server';
import { drained, finishedOf, newRunId, newScope, SHORT_ACK_WAIT } from './server';

Logger.overrideLogger(false);

/** A silent server keeps the architectures of its scheduler from everybody for as long. */
const SILENCE_NOTICED_MS = 20_000;

const WORKER = 'w1';
const chunk = (number: number): LogChunk => ({ chunk: number, offset: number, data: 'YQ==' });

let folder: string;
let nats: EmbeddedNats;
let operator: Credentials;
let remove: () => Promise<void>;
let scope: string;
let buses: Bus[];

beforeEach(async () => {
  ({ nats, operator, folder, remove } = await ownNats());
  scope = newScope();
  buses = [];
});
afterEach(async () => {
  await Promise.all(buses.map((bus) => bus.close()));
  await remove();
});

async function connect(): Promise<Bus> {
  const bus = await connectBus(operator, { limits: SHORT_ACK_WAIT, makesStreams: true });
  buses.push(bus);
  return bus;
}

async function kill(bus: Bus): Promise<void> {
  nats.kill('SIGKILL');
  await nats.whenEnded;
  while (bus.isConnected()) await setImmediate();
}

/** Starts the server again and waits for the bus. */
async function revive(bus: Bus): Promise<void> {
  const back = new Promise<void>((resolve) => bus.onReconnect(resolve));
  await nats.start();
  await back;
  // Its connections for requests are made again each by itself.
  expect(await until(() => Promise.resolve(bus.isConnected()))).toBe(true);
}

it('the bus says so while the server is away', async () => {
  const bus = await connect();
  await kill(bus);
  await expect(bus.report(finishedOf(scope, 1), {})).rejects.toThrow(NoAnswer);
  await expect(bus.request(subjectOf(SUBJECTS.status, scope), {}, 60_000)).rejects.toThrow(NoAnswer);
  bus.signal(subjectOf(SUBJECTS.workWaiting, scope), {});
  await expect(bus.consumeReports(scope, () => Promise.resolve())).rejects.toThrow(NoAnswer);
});

it('while a connection for requests is lost, the bus says so, and the rest of it works', async () => {
  const bus = await connect();
  const links = Reflect.get(bus, 'requestLinks') as Pick<Bus, 'isConnected'>;
  jest.spyOn(links, 'isConnected').mockReturnValue(false);
  expect(bus.isConnected()).toBe(false);
  const command = subjectOf(SUBJECTS.runsSubmitted, scope);
  const received = new Promise<string>((resolve) => bus.subscribe(command, ({ text }) => resolve(text)));
  await bus.flush();
  bus.signal(command, { count: 1 });
  expect(JSON.parse(await received)).toEqual({ count: 1 });
});

it('the bus is closed at once while it waits for its streams', async () => {
  const bus = await connect();
  const { link } = bus as unknown as { link: { onRestore(restore: () => Promise<void>): void } };
  const tried = new Promise<void>((resolve) =>
    link.onRestore(() => {
      resolve();
      return Promise.reject(new Error('not yet'));
    }),
  );
  const waits = jest.spyOn(timers, 'setTimeout');
  await kill(bus);
  await nats.start();
  await tried;
  await setImmediate();
  const wait = waits.mock.results.at(-1)?.value as Promise<void>;
  waits.mockRestore();
  await bus.close();
  const isOver = wait.then(
    () => 'waited',
    (error: Error) => error.name,
  );
  expect(await Promise.race([isOver, setImmediate('waits')])).toBe('AbortError');
});

it('the bus keeps reports, subscriptions and readers over a killed server', async () => {
  const bus = await connect();
  const grant = { runId: newRunId(), attempt: 1, grantEpoch: 5 };
  await bus.prepareReports(scope, [WORKER]);
  await bus.report(finishedOf(scope, 1), { number: 1 });
  await bus.prepareWorkers([WORKER]);
  await bus.appendLog(WORKER, grant, chunk(0));
  const reports = new Events<ReportMessage>();
  let goOn = (): void => undefined;
  const gate = new Promise<void>((resolve) => (goOn = resolve));
  await bus.consumeReports(scope, async (report) => {
    reports.push(report);
    await gate;
  });
  const status = subjectOf(SUBJECTS.status, scope);
  bus.subscribe(status, ({ respond }) => respond?.('{"well":true}'));
  const log = bus.readLog(WORKER, grant, 0)[Symbol.asyncIterator]();
  expect((await log.next()).value).toEqual(chunk(0));
  expect((await reports.next()).text).toBe('{"number":1}');

  await kill(bus);
  await revive(bus);
  goOn();
  await bus.report(finishedOf(scope, 2), { number: 2 });
  // The one in hand may come a second time, if its acknowledgement did not reach the server.
  for (let text = ''; text !== '{"number":2}';) text = (await reports.next()).text;
  await drained(bus, scope);
  await expect(bus.request(status, {}, PATIENCE_MS)).resolves.toEqual({ well: true });
  await bus.appendLog(WORKER, grant, chunk(1));
  expect((await log.next()).value).toEqual(chunk(1));
  await log.return?.();
});

it('the bus makes streams and consumers again when the server has lost its files', async () => {
  const bus = await connect();
  await bus.prepareReports(scope, [WORKER]);
  const reports = new Events<ReportMessage>();
  await bus.consumeReports(scope, (report) => Promise.resolve(reports.push(report)));
  await kill(bus);
  await rm(join(folder, 'jetstream'), { recursive: true });
  await revive(bus);
  await bus.report(finishedOf(scope, 1), { number: 1 });
  expect((await reports.next()).text).toBe('{"number":1}');
});

it('the bus makes the stream of a worker again when it was deleted', async () => {
  const bus = await connect();
  await bus.prepareReports(scope, [WORKER]);
  const reports = new Events<ReportMessage>();
  await bus.consumeReports(scope, (report) => Promise.resolve(reports.push(report)));
  const { jsm } = Reflect.get(bus, 'link') as { jsm: JetStreamManager };
  await jsm.streams.delete(reportStream(scope, WORKER));
  await expect(bus.report(finishedOf(scope, 1), { number: 1 })).rejects.toThrow(NoAnswer);
  await bus.prepareReports(scope, [WORKER]);
  await bus.report(finishedOf(scope, 1), { number: 1 });
  expect((await reports.next()).text).toBe('{"number":1}');
});

it('the bus makes the deleted streams of logs and files again, and leaves the others', async () => {
  const bus = await connect();
  const { jsm } = Reflect.get(bus, 'link') as { jsm: JetStreamManager };
  const workers = [WORKER, `${WORKER}2`, `${WORKER}3`];
  await bus.prepareWorkers(workers);
  const created = async (name: string) => (await jsm.streams.info(name)).created;
  const before = await created(logStream(workers[1]!));
  await jsm.streams.delete(logStream(WORKER));
  await jsm.streams.delete(stagingStream(workers[2]!));
  await bus.prepareWorkers(workers);
  await created(logStream(WORKER));
  await created(stagingStream(workers[2]!));
  expect(await created(logStream(workers[1]!))).toBe(before);
});

it('the bus waits for a server that is not there yet', async () => {
  await nats.stop();
  const connecting = connect();
  await nats.start();
  const bus = await connecting;
  await bus.prepareReports(scope, [WORKER]);
  await bus.report(finishedOf(scope, 1), {});
});

it('a connection that gets no answer while it is made is given up and made again', async () => {
  const link = await linkTo(nats.url);
  link.loseAnswersTo('CONNECT');
  const gaveUp = new Promise<string>((resolve) =>
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((message: string) => resolve(message)),
  );
  const connecting = connectBus({ ...operator, url: link.url });
  try {
    expect(await gaveUp).toMatch(/^no NATS at .* yet, trying again: TimeoutError/);
  } finally {
    jest.restoreAllMocks();
    link.clear();
    await (await connecting).close();
    await link.cut();
  }
});

it('the bus rejects at once when the credentials are wrong', async () => {
  const { credentials } = newCredentials('stranger', nats.url);
  await expect(connectBus(credentials)).rejects.toThrow(/authorization/i);
});

it('the bus lets several processes make the streams at the same time', async () => {
  const all = await Promise.all([connect(), connect(), connect(), connect()]);
  await Promise.all(all.map((bus) => bus.prepareReports(scope, [WORKER])));
  await Promise.all(all.map((bus, number) => bus.report(finishedOf(scope, number), { number })));
});

it('the bus says what to do when the server may not store as much', async () => {
  const limits = { eventsBytesMax: 2 ** 50 };
  await expect(connectBus(operator, { limits, makesStreams: true })).rejects.toThrow(
    /may not store the \d+ bytes/,
  );
});

it('a server that falls silent is no answer to any operation; it is given up, and found again once it speaks', async () => {
  const [bus, idle] = [await connect(), await connect()];
  const grant = { runId: newRunId(), attempt: 1, grantEpoch: 5 };
  await bus.prepareReports(scope, [WORKER]);
  await bus.prepareWorkers([WORKER]);
  await bus.stage(WORKER, 'log', Readable.from([Buffer.alloc(300_000)]));
  const content = await bus.readStaged(WORKER, 'log');
  nats.kill('SIGSTOP');
  const givenUpMs = peerMsUntil(until(() => Promise.resolve(!idle.isConnected())));
  const operations: Record<string, () => Promise<unknown>> = {
    report: () => bus.report(finishedOf(scope, 1), {}),
    request: () => bus.request(subjectOf(SUBJECTS.status, scope), {}, 1000),
    publishEvent: () => bus.publishEvent({ at: 'now', kind: 'started' } as unknown as Fact),
    prepareReports: () => bus.prepareReports(scope, [WORKER]),
    listWaitingReports: () => bus.listWaitingReports(scope),
    consumeReports: () => bus.consumeReports(scope, () => Promise.resolve()),
    prepareWorkers: () => bus.prepareWorkers([WORKER]),
    appendLog: () => bus.appendLog(WORKER, grant, chunk(0)),
    readLog: () => bus.readLog(WORKER, grant, 0)[Symbol.asyncIterator]().next(),
    readEvents: () => bus.readEvents(scope)[Symbol.asyncIterator]().next(),
    purgeLog: () => bus.purgeLog(WORKER, grant),
    stage: () => bus.stage(WORKER, 'other', Readable.from([Buffer.from('content')])),
    readStaged: () => bus.readStaged(WORKER, 'log'),
    contentOfStaged: () => buffer(content!),
    deleteStaged: () => bus.deleteStaged(WORKER, 'log'),
    listStaging: () => bus.listStaging()[Symbol.asyncIterator]().next(),
    deleteUpload: () => bus.deleteUpload({ worker: WORKER, id: 'an-upload', name: null }),
    deleteStray: () => bus.deleteStray(WORKER, 'stray'),
    flush: () => bus.flush(),
  };
  const outcomes = Object.entries(operations).map(async ([name, start]) => [
    name,
    await start().then(
      () => 'answered',
      (error: unknown) => (error instanceof NoAnswer ? 'NoAnswer' : error),
    ),
  ]);
  let ends: unknown;
  try {
    ends = Object.fromEntries(await Promise.all(outcomes));
    expect(await givenUpMs).toBeLessThan(SILENCE_NOTICED_MS);
    expect(await until(() => Promise.resolve(!bus.isConnected()))).toBe(true);
  } finally {
    nats.kill('SIGCONT');
  }
  expect(ends).toEqual(Object.fromEntries(Object.keys(operations).map((name) => [name, 'NoAnswer'])));
  expect(await until(() => Promise.resolve(bus.isConnected()))).toBe(true);
  await bus.flush();
});
