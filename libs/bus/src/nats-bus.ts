import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { errors, RequestError, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';
import { systemClock } from '@proctor/clock';
import {
  EVENT_STREAM,
  eventFilter,
  eventId,
  eventSubject,
  MESSAGE_BYTES_MAX,
  type Fact,
  type Grant,
  type LogChunk,
  type ReportOrigin,
} from '@proctor/contracts';
import { parseAnswer, requireRoom } from './body';
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
import type { NatsLink } from './nats-link';
import { NatsLogs } from './nats-logs';
import { NatsReportStreams } from './nats-report-streams';
import { NatsReportConsumption } from './nats-reports';
import { NatsStaging } from './nats-staging';
import { ReportIntake } from './report-intake';
import { isCopy, isFull } from './streams';
import { unlessClosed } from './unless-closed';

/**
 * What nats-server tells of the client whose request a shared import carries from one account into another. It takes the
 * place of a header of that name which the client has sent itself.
 */
const REQUEST_INFO = 'Nats-Request-Info';

/** The bus on a NATS server with JetStream; see connectBus. */
export class NatsBus extends Bus {
  private readonly logger = new Logger('Bus');
  private readonly nc: NatsConnection;
  private readonly logs: NatsLogs;
  private readonly staging: NatsStaging;
  private readonly reportStreams: NatsReportStreams;
  private readonly consumptions = new Set<NatsReportConsumption>();
  private readonly preparedWorkers = new Set<string>();

  constructor(
    private readonly link: NatsLink,
    private readonly limits: BusLimits,
  ) {
    super();
    this.nc = link.nc;
    this.logs = new NatsLogs(link.js, link.jsm);
    this.staging = new NatsStaging(link.js, link.jsm);
    this.reportStreams = new NatsReportStreams(link);
    link.restores(() => this.restore());
  }

  async request<T>(subject: string, body: object, timeoutMs: number): Promise<T> {
    this.requireConnection();
    const asked = JSON.stringify(body);
    this.requireRoom(subject, asked);
    try {
      const answer = await this.nc.request(subject, asked, { timeout: timeoutMs });
      return parseAnswer<T>(subject, answer.string());
    } catch (error) {
      throw isNoAnswer(error) ? new NoAnswer(`no answer on ${subject}`, { cause: error }) : error;
    }
  }

  signal(subject: string, body: object): void {
    if (!this.isConnected()) return;
    try {
      this.nc.publish(subject, JSON.stringify(body));
    } catch (error) {
      this.logger.warn(`signal on ${subject} not sent: ${String(error)}`);
    }
  }

  async report(subject: string, body: object): Promise<void> {
    this.requireConnection();
    const text = JSON.stringify(body);
    this.requireRoom(subject, text);
    try {
      await this.link.js.publish(subject, text);
    } catch (error) {
      if (isCopy(error)) return;
      if (isFull(error)) throw new StreamFull(`${subject}: the stream is full`, { cause: error });
      if (!hasNoStream(error)) throw error;
      throw new NoAnswer(`${subject}: there is no stream for it yet, a scheduler makes it`, { cause: error });
    }
  }

  async prepareReports(arch: string, workers: readonly string[]): Promise<void> {
    this.requireConnection();
    await this.reportStreams.prepare(arch, workers);
  }

  async reportsWaiting(arch: string): Promise<ReportOrigin[]> {
    this.requireConnection();
    return this.reportStreams.waiting(arch);
  }

  async publishEvent(fact: Fact): Promise<void> {
    this.requireConnection();
    const subject = eventSubject(fact.arch, fact.kind);
    await this.link.js.publish(subject, JSON.stringify(fact), { msgID: eventId(fact) });
  }

  async *readEvents(arch: string, signal?: AbortSignal): AsyncGenerator<Fact> {
    const { js } = this.link;
    for await (const message of follow(js, EVENT_STREAM, eventFilter(arch), signal))
      yield message.json<Fact>();
  }

  async appendLog(worker: string, grant: Grant, chunk: LogChunk): Promise<void> {
    this.requireConnection();
    await this.logs.append(worker, grant, chunk);
  }

  readLog(worker: string, grant: Grant, fromChunk: number, signal?: AbortSignal): AsyncIterable<LogChunk> {
    return this.logs.read(worker, grant, fromChunk, signal);
  }

  async purgeLog(worker: string, grant: Grant): Promise<void> {
    this.requireConnection();
    await this.logs.purge(worker, grant);
  }

  async prepareWorker(worker: string): Promise<void> {
    this.requireConnection();
    await this.link.ensureWorkerStreams(worker);
    this.preparedWorkers.add(worker);
  }

  async stage(worker: string, name: string, content: Readable): Promise<StagedContent> {
    try {
      this.requireConnection();
    } catch (error) {
      content.destroy();
      throw error;
    }
    return this.staging.put(worker, name, content);
  }

  async unstage(worker: string, name: string): Promise<Readable | null> {
    this.requireConnection();
    return this.staging.get(worker, name);
  }

  async dropStaged(worker: string, name: string): Promise<void> {
    this.requireConnection();
    await this.staging.drop(worker, name);
  }

  async stagingContents(signal?: AbortSignal): Promise<StagingContents[]> {
    this.requireConnection();
    return this.staging.contents(signal);
  }

  async dropUpload(upload: StagedUpload): Promise<void> {
    this.requireConnection();
    await this.staging.dropUpload(upload);
  }

  onRefused(listener: () => void): () => void {
    return this.link.onRefused(listener);
  }

  onReconnect(listener: () => void): () => void {
    return this.link.onReconnect(listener);
  }

  isConnected(): boolean {
    return this.link.isConnected();
  }

  async close(): Promise<void> {
    await Promise.all([...this.consumptions].map((consumption) => consumption.stop()));
    await this.link.close();
  }

  subscribe(subject: string, handler: (message: BusMessage) => void): () => void {
    const subscription = this.nc.subscribe(subject, {
      callback: (error, message) => {
        if (error) return this.logger.error(`subscription of ${subject}: ${error.message}`);
        const { reply } = message;
        const respond = (text: string) => {
          this.requireRoom(message.subject, text);
          unlessClosed(() => message.respond(text));
        };
        const from = addressOf(message.headers);
        handler({
          subject: message.subject,
          text: message.string(),
          ...(from !== undefined && { from }),
          ...(reply && { respond }),
        });
      },
    });
    return () => subscription.unsubscribe();
  }

  async flush(): Promise<void> {
    this.requireConnection();
    await this.nc.flush();
  }

  async consumeReports(
    arch: string,
    handler: ReportHandler,
    refusal?: ReportRefusal,
  ): Promise<ReportConsumption> {
    this.requireConnection();
    const intake = new ReportIntake(handler, this.limits, systemClock, refusal);
    const consumption = new NatsReportConsumption(this.link, arch, intake, this.limits, systemClock);
    await consumption.start();
    this.consumptions.add(consumption);
    return {
      stop: () => {
        this.consumptions.delete(consumption);
        return consumption.stop();
      },
    };
  }

  /** A server that came back with empty storage has none of it. */
  private async restore(): Promise<void> {
    await this.reportStreams.restore();
    for (const worker of this.preparedWorkers) await this.link.ensureWorkerStreams(worker);
  }

  /** The server says with each connection how much it takes. */
  private requireRoom(subject: string, text: string): void {
    requireRoom(subject, text, this.nc.info?.max_payload ?? MESSAGE_BYTES_MAX);
  }

  private requireConnection(): void {
    if (!this.isConnected()) throw new NoAnswer('not connected to NATS');
  }
}

/** No stream has the subject of what was published, or JetStream is not there. */
function hasNoStream(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof RequestError && error.cause.isNoResponders();
}

function isNoAnswer(error: unknown): boolean {
  return (
    error instanceof errors.TimeoutError ||
    error instanceof errors.NoRespondersError ||
    error instanceof errors.ClosedConnectionError ||
    error instanceof errors.DrainingConnectionError ||
    error instanceof RequestError
  );
}

/** The IP address of the client that a request came from; undefined when nats-server does not tell. */
function addressOf(headers: MsgHdrs | undefined): string | undefined {
  const told = headers?.last(REQUEST_INFO);
  if (!told) return undefined;
  try {
    const { host } = JSON.parse(told) as { host?: unknown };
    return typeof host === 'string' && isIP(host) !== 0 ? host : undefined;
  } catch {
    return undefined;
  }
}
