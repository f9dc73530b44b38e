import { AckPolicy, jetstreamManager, RetentionPolicy, type JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';
import { connectBus, type Bus, type ReportMessage } from '@proctor/bus';
import { reportFilter, reportSubject, sharedReportStream } from '@proctor/contracts';
import { natsClient } from '@test/support/nats-client';
import { PATIENCE_MS } from '@test/support/until';
import { Events } from './events';
import { ownNats } from './nats-server';
import { drained } from './server';

Logger.overrideLogger(false);

const ARCH = 'amd64';
/** One of them has the name of an architecture. */
const WORKERS = ['w1', ARCH];
const REPORTS = WORKERS.map((worker) => reportSubject(ARCH, 'finished', { worker, runId: 1, attempt: 1 }));

let server: Awaited<ReturnType<typeof ownNats>>;
let operator: NatsConnection;
let streams: JetStreamManager;
let scheduler: Bus;
let workers: Bus;

/** As an earlier version has left it: the workers of the architecture share a stream, in which reports wait. */
beforeEach(async () => {
  server = await ownNats([{ name: 'w1', architectures: [ARCH] }]);
  operator = await natsClient(server.operator);
  streams = await jetstreamManager(operator, { timeout: PATIENCE_MS });
  const name = sharedReportStream(ARCH);
  const subjects = [reportFilter(ARCH)];
  await streams.streams.add({ name, subjects, retention: RetentionPolicy.Workqueue, max_bytes: 1024 ** 2 });
  const consumer = { durable_name: `report-${ARCH}`, filter_subject: reportFilter(ARCH) };
  await streams.consumers.add(name, { ...consumer, ack_policy: AckPolicy.Explicit });
  workers = await connectBus(server.operator);
  for (const report of REPORTS) await workers.report(report, {});
  scheduler = await connectBus(await server.users.read('scheduler'), { makesStreams: true });
});
afterEach(async () => {
  await Promise.all([workers?.close(), scheduler?.close(), operator?.close()]);
  await server?.remove();
});

it('the stream that all workers shared makes way for those of the workers, who repeat what was in it', async () => {
  const arrivals = new Events<ReportMessage>();
  const consumption = await scheduler.consumeReports(ARCH, (report) =>
    Promise.resolve(arrivals.push(report)),
  );
  await scheduler.prepareReports(ARCH, WORKERS);
  expect(await scheduler.listWaitingReports(ARCH)).toEqual([]);
  for (const subject of REPORTS) {
    await workers.report(subject, {});
    expect(await arrivals.next()).toMatchObject({ subject });
  }
  await drained(scheduler, ARCH);
  await consumption.stop();
  const { state, config } = await streams.streams.info(sharedReportStream(ARCH));
  expect({ messages: state.messages, reserved: config.max_bytes }).toEqual({ messages: 0, reserved: 1 });
});

it('the stream that all workers shared is out of the way for the next scheduler too', async () => {
  await scheduler.prepareReports(ARCH, WORKERS);
  const next = await connectBus(await server.users.read('scheduler'), { makesStreams: true });
  await next.prepareReports(ARCH, WORKERS);
  await workers.report(REPORTS[0]!, {});
  await next.prepareReports(ARCH, WORKERS);
  expect(await next.listWaitingReports(ARCH)).toHaveLength(1);
  await next.close();
});
