import type { Readable } from 'node:stream';
import { headers, RequestError, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';
import { systemClock } from '@proctor/clock';
import {
  EVENT_STREAM,
  eventFilter,
  logStream,
  MESSAGE_BYTES_MAX,
  requestingWorker,
  requestKind,
  stagingStream,
  type Fact,
  type Grant,
  type LogChunk,
  type ReportOrigin,
} from '@proctor/contracts';
import { logFields } from '@proctor/process';
import { requireAnswer, requireAnswers } from './answers';
import { parseAnswer, requireRoom } from './body';
import { addressOf, bytesOf, headersOf, REQUEST_ID, requestOf, withEverythingRead } from './message-parts';
import {
  Bus,
  NoAnswer,
  StreamFull,
  type BusMessage,
  type ReportConsumption,
  type ReportHandler,
  type ReportRefusal,
  type StagedContent,
  type StagedUpload,
  type StagingContents,
} from './bus';
import { follow } from './follow';
import type { BusLimits } from './limits';
import { NatsEvents } from './nats-events';
import { JETSTREAM_TIMEOUT_MS, type NatsLink } from './nats-link';
import { NatsLogs } from './nats-logs';
import { NatsRequests } from './nats-requests';
import { NatsReportStreams } from './nats-report-streams';
import { NatsReportConsumption } from './nats-reports';
import { NatsStaging } from './nats-staging';
import { NatsWorkerStreams } from './nats-worker-streams';
import { ReportIntake } from './report-intake';
import type { RequestLinks } from './request-links';
import { StreamLevels } from './stream-levels';
import { isCopy, isFull } from './streams';
import { unlessClosed } from './unless-closed';

/** The bus on a NATS server with JetStream; see connectBus. */
export class NatsBus extends Bus {
  private readonly logger = new Logger('Bus');
  private readonly nc: NatsConnection;
  private readonly logs: NatsLogs;
  private readonly events: NatsEvents;
  private readonly staging: NatsStaging;
  private readonly reportStreams: NatsReportStreams;
  private readonly consumptions = new Set<NatsReportConsumption>();
  private readonly workerStreams: NatsWorkerStreams;
  private readonly requests = new Set<NatsRequests>();
  readonly streamLevels: StreamLevels;

  constructor(
    private readonly link: NatsLink,
    private readonly limits: BusLimits,
    private readonly requestLinks: RequestLinks | null,
  ) {
    super();
    this.nc = link.nc;
    void link.nc.closed().then(() => this.requestLinks?.close());
    this.logs = new NatsLogs(link.js, link.jsm);
    this.events = new NatsEvents(link.nc, link.inboxPrefix, JETSTREAM_TIMEOUT_MS);
    this.staging = new NatsStaging(link, limits.replicas > 1);
    this.reportStreams = new NatsReportStreams(link);
    this.workerStreams = new NatsWorkerStreams(link);
    this.streamLevels = new StreamLevels(link);
    link.onRestore(() => this.restore());
  }

  async request<T>(subject: string, body: object, timeoutMs: number): Promise<T> {
    const text = JSON.stringify(body);
    try {
      const answer = await this.runConnected(subject, () => {
        this.requireRoom(subject, text);
        return this.nc.request(subject, text, { timeout: timeoutMs, ...requestHeaders() });
      });
      return parseAnswer<T>(subject, answer.string());
    } catch (error) {
      throw error instanceof RequestError ? new NoAnswer(`no answer on ${subject}`, { cause: error }) : error;
    }
  }

  signal(subject: string, body: object): void {
    if (!this.link.isConnected()) return;
    try {
      this.nc.publish(subject, JSON.stringify(body), requestHeaders());
    } catch (error) {
      this.logger.warn(`signal on ${subject} not sent: ${String(error)}`);
    }
  }

  async report(subject: string, body: object): Promise<void> {
    const text = JSON.stringify(body);
    try {
      await this.runConnected(subject, () => {
        this.requireRoom(subject, text);
        return this.link.js.publish(subject, text);
      });
    } catch (error) {
      if (isCopy(error)) return;
      if (isFull(error)) throw new StreamFull(`${subject}: the stream is full`, { cause: error });
      if (!hasNoStream(error)) throw error;
      throw new NoAnswer(`${subject}: there is no stream for it yet, a scheduler makes it`, { cause: error });
    }
  }

  async prepareReports(arch: string, workers: readonly string[]): Promise<void> {
    await this.runConnected(`the streams of ${arch}`, () => this.reportStreams.prepare(arch, workers));
    for (const requests of this.requests) requests.update();
  }

  async listWaitingReports(arch: string): Promise<ReportOrigin[]> {
    return this.runConnected(`the streams of ${arch}`, () => this.reportStreams.listWaiting(arch));
  }

  async publishEvent(fact: Fact): Promise<void> {
    this.requireConnection();
    await this.events.publish(fact);
  }

  async *readEvents(arch: string, signal?: AbortSignal): AsyncGenerator<Fact> {
    const messages = follow(this.link.js, EVENT_STREAM, eventFilter(arch), signal);
    for await (const message of requireAnswers(EVENT_STREAM, messages)) yield message.json<Fact>();
  }

  async appendLog(worker: string, grant: Grant, chunk: LogChunk): Promise<void> {
    await this.runConnected(logStream(worker), () => this.logs.append(worker, grant, chunk));
  }

  readLog(worker: string, grant: Grant, fromChunk: number, signal?: AbortSignal): AsyncIterable<LogChunk> {
    return requireAnswers(logStream(worker), this.logs.read(worker, grant, fromChunk, signal));
  }

  readLogSoFar(worker: string, grant: Grant, signal: AbortSignal): AsyncIterable<LogChunk> {
    return requireAnswers(logStream(worker), this.logs.readSoFar(worker, grant, signal));
  }

  async purgeLog(worker: string, grant: Grant): Promise<void> {
    await this.runConnected(logStream(worker), () => this.logs.purge(worker, grant));
  }

  async prepareWorkers(workers: readonly string[]): Promise<void> {
    await this.runConnected('the streams of workers', () => this.workerStreams.prepare(workers));
  }

  async stage(worker: string, name: string, content: Readable): Promise<StagedContent> {
    try {
      this.requireConnection();
    } catch (error) {
      content.destroy();
      throw error;
    }
    return requireAnswer(stagingStream(worker), this.staging.write(worker, name, content));
  }

  async readStaged(worker: string, name: string): Promise<Readable | null> {
    return this.runConnected(stagingStream(worker), () => this.staging.read(worker, name));
  }

  async deleteStaged(worker: string, name: string): Promise<void> {
    await this.runConnected(stagingStream(worker), () => this.staging.deleteFile(worker, name));
  }

  async *listStaging(signal?: AbortSignal): AsyncGenerator<StagingContents> {
    this.requireConnection();
    yield* requireAnswers('the staging areas', this.staging.list(signal));
  }

  async deleteStray(worker: string, stray: string): Promise<void> {
    await this.runConnected(stagingStream(worker), () => this.staging.deleteStray(worker, stray));
  }

  async deleteUpload(upload: StagedUpload): Promise<void> {
    await this.runConnected(stagingStream(upload.worker), () => this.staging.deleteUpload(upload));
  }

  onRefused(listener: () => void): () => void {
    return this.link.onRefused(listener);
  }

  onReconnect(listener: () => void): () => void {
    return this.link.onReconnect(listener);
  }

  isConnected(): boolean {
    return this.link.isConnected() && this.requestLinks?.isConnected() !== false;
  }

  async close(): Promise<void> {
    await Promise.all([...this.consumptions].map((consumption) => consumption.stop()));
    await this.requestLinks?.close();
    await this.link.close();
  }

  subscribe(subject: string, handler: (message: BusMessage) => void): () => void {
    const kind = requestKind(subject);
    const isOfAllWorkers = kind !== null && subject.includes('*');
    const callback = (error: Error | null, message: Msg): void => {
      if (error) return this.logger.error(`subscription of ${subject}: ${error.message}`);
      const received = this.toBusMessage(message);
      handler(isOfAllWorkers ? received : withEverythingRead(received));
    };
    if (!isOfAllWorkers) {
      const subscription = this.nc.subscribe(subject, { callback });
      return () => subscription.unsubscribe();
    }
    const workers = () => this.reportStreams.workersFor(subject.split('.')[2]!);
    const nc = this.requestLinks?.connectionFor(kind) ?? this.nc;
    const requests = new NatsRequests(nc, subject, callback, workers, systemClock);
    this.requests.add(requests);
    return () => {
      this.requests.delete(requests);
      requests.unsubscribe();
    };
  }

  override shun(subject: string, forMs: number): void {
    const worker = requestingWorker(subject);
    for (const requests of this.requests)
      if (worker && requests.matches(subject)) requests.shun(worker, forMs);
  }

  async flush(): Promise<void> {
    await this.runConnected('a flush', () => Promise.all([this.nc.flush(), this.requestLinks?.flush()]));
  }

  async consumeReports(
    arch: string,
    handler: ReportHandler,
    refusal?: ReportRefusal,
  ): Promise<ReportConsumption> {
    this.requireConnection();
    const intake = new ReportIntake(handler, this.limits, systemClock, refusal);
    const consumption = new NatsReportConsumption(this.link, arch, intake, this.limits, systemClock);
    await requireAnswer(`the reports of ${arch}`, consumption.start());
    this.consumptions.add(consumption);
    return {
      stop: () => {
        this.consumptions.delete(consumption);
        return consumption.stop();
      },
    };
  }

  /** Text and headers are read only when used: a message that is too long is refused by its length. */
  private toBusMessage(message: Msg): BusMessage {
    const { reply } = message;
    const respond = (text: string) => {
      this.requireRoom(message.subject, text);
      unlessClosed(() => message.respond(text));
    };
    return {
      subject: message.subject,
      bytes: bytesOf(message),
      get text() {
        return message.string();
      },
      get from() {
        return addressOf(headersOf(message));
      },
      get request() {
        return requestOf(headersOf(message));
      },
      ...(reply && { respond }),
    };
  }

  /** Creates the streams again that a server with empty storage has lost. */
  private async restore(): Promise<void> {
    await this.reportStreams.restore();
    await this.workerStreams.restore();
  }

  /** The server announces its limit with each connection. */
  private requireRoom(subject: string, text: string): void {
    requireRoom(subject, text, this.nc.info?.max_payload ?? MESSAGE_BYTES_MAX);
  }

  /** @throws NoAnswer while disconnected; like requireAnswer */
  private async runConnected<T>(subject: string, start: () => Promise<T>): Promise<T> {
    this.requireConnection();
    return requireAnswer(subject, start());
  }

  private requireConnection(): void {
    if (!this.link.isConnected()) throw new NoAnswer('not connected to NATS');
  }
}

/** No stream has the subject, or JetStream is not there. */
function hasNoStream(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof RequestError && error.cause.isNoResponders();
}

/** Headers of a message that is sent for an HTTP request; none without one. */
function requestHeaders(): { headers?: MsgHdrs } {
  const { request } = logFields();
  if (typeof request !== 'string') return {};
  const carried = headers();
  carried.set(REQUEST_ID, request);
  return { headers: carried };
}
