import { Readable } from 'node:stream';
import {
  logSubject,
  MESSAGE_BYTES_MAX,
  type Fact,
  type Grant,
  type LogChunk,
  type ReportOrigin,
} from '@proctor/contracts';
import { parseAnswer, requireRoom } from '@libs/bus/src/body';
import {
  Bus,
  NoAnswer,
  type BusMessage,
  type ReportConsumption,
  type ReportHandler,
  type ReportRefusal,
  type StagedContent,
  type StagedUpload,
  type StagingContents,
} from '@libs/bus/src/bus';
import type { MemoryBroker } from './memory-broker';
import { ReportIntake } from '@libs/bus/src/report-intake';

/** One client of a MemoryBroker: the bus within one process, with the same meaning as NatsBus. */
export class MemoryBus extends Bus {
  private readonly reconnectListeners = new Set<() => void>();
  private readonly endings = new Set<() => void>();
  /** The workers of each architecture whose streams of reports are made again when the connection is back. */
  private readonly preparedReports = new Map<string, readonly string[]>();
  private connected = true;
  private closed = false;

  constructor(private readonly broker: MemoryBroker) {
    super();
  }

  async request<T>(subject: string, body: object, timeoutMs: number): Promise<T> {
    this.requireConnection();
    const requestText = JSON.stringify(body);
    requireRoom(subject, requestText, MESSAGE_BYTES_MAX);
    const text = await this.answerTo(subject, requestText, timeoutMs);
    if (text === null) throw new NoAnswer(`no answer on ${subject}`);
    return parseAnswer<T>(subject, text);
  }

  signal(subject: string, body: object): void {
    if (this.connected) this.broker.publish('signal', { subject, text: JSON.stringify(body) });
  }

  async report(subject: string, body: object): Promise<void> {
    this.requireConnection();
    const text = JSON.stringify(body);
    requireRoom(subject, text, MESSAGE_BYTES_MAX);
    await new Promise<void>((resolve, reject) => {
      const arrive = () => {
        const refusal = this.broker.reports.publish(subject, text);
        if (refusal) reject(refusal);
        else resolve();
      };
      const arrives = this.broker.travel({ kind: 'report', subject, text }, arrive);
      if (!arrives) reject(new NoAnswer(`${subject} was not acknowledged`));
    });
  }

  async prepareReports(arch: string, workers: readonly string[]): Promise<void> {
    this.requireConnection();
    this.preparedReports.set(arch, workers);
    this.broker.reports.prepare(arch, workers);
    return Promise.resolve();
  }

  async listWaitingReports(arch: string): Promise<ReportOrigin[]> {
    this.requireConnection();
    return Promise.resolve(this.broker.reports.waiting(arch));
  }

  async publishEvent(fact: Fact): Promise<void> {
    this.requireConnection();
    this.broker.events.append(fact);
    return Promise.resolve();
  }

  readEvents(arch: string, signal?: AbortSignal): AsyncIterable<Fact> {
    return this.broker.events.read(arch, signal);
  }

  async appendLog(worker: string, grant: Grant, chunk: LogChunk): Promise<void> {
    this.requireConnection();
    this.broker.appendLog(logSubject(worker, grant), chunk);
    return Promise.resolve();
  }

  async *readLog(
    worker: string,
    grant: Grant,
    fromChunk: number,
    signal?: AbortSignal,
  ): AsyncGenerator<LogChunk> {
    const log = logSubject(worker, grant);
    let after = 0;
    while (!signal?.aborted) {
      const next = this.broker.logChunkAfter(log, after);
      if (!next) {
        await this.broker.logChanges(log, signal);
      } else {
        after = next.sequence;
        if (next.chunk.chunk >= fromChunk) yield next.chunk;
      }
    }
  }

  async *readLogSoFar(worker: string, grant: Grant, signal: AbortSignal): AsyncGenerator<LogChunk> {
    signal.throwIfAborted();
    await Promise.resolve();
    yield* this.broker.logChunks(logSubject(worker, grant));
  }

  async purgeLog(worker: string, grant: Grant): Promise<void> {
    this.requireConnection();
    this.broker.purgeLog(logSubject(worker, grant));
    return Promise.resolve();
  }

  async prepareWorkers(_workers: readonly string[]): Promise<void> {
    this.requireConnection();
    return Promise.resolve();
  }

  async stage(worker: string, name: string, content: Readable): Promise<StagedContent> {
    if (!this.connected) content.destroy();
    this.requireConnection();
    return this.broker.staging.put(worker, name, content, () => this.requireConnection());
  }

  async readStaged(worker: string, name: string): Promise<Readable | null> {
    this.requireConnection();
    const bytes = this.broker.staging.get(worker, name);
    return Promise.resolve(bytes && Readable.from([bytes], { objectMode: false }));
  }

  async deleteStaged(worker: string, name: string): Promise<void> {
    this.requireConnection();
    this.broker.staging.drop(worker, name);
    return Promise.resolve();
  }

  async *listStaging(signal?: AbortSignal): AsyncGenerator<StagingContents> {
    this.requireConnection();
    for (const area of this.broker.staging.contents()) {
      signal?.throwIfAborted();
      yield await Promise.resolve(area);
    }
  }

  /** Files are staged here only through this bus. */
  async deleteStray(): Promise<void> {
    return Promise.resolve();
  }

  async deleteUpload(upload: StagedUpload): Promise<void> {
    this.requireConnection();
    this.broker.staging.dropUpload(upload);
    return Promise.resolve();
  }

  onReconnect(listener: () => void): () => void {
    this.reconnectListeners.add(listener);
    return () => this.reconnectListeners.delete(listener);
  }

  /** A broker in memory refuses no user. */
  onRefused(): () => void {
    return () => undefined;
  }

  isConnected(): boolean {
    return this.connected;
  }

  /**
   * Loses the connection: sent messages are lost and nothing arrives, but subscriptions and consumptions continue
   * later.
   */
  disconnect(): void {
    this.connected = false;
  }

  reconnect(): void {
    if (this.connected || this.closed) return;
    this.connected = true;
    for (const [arch, workers] of this.preparedReports) this.broker.reports.prepare(arch, workers);
    this.broker.reports.resume();
    for (const listener of this.reconnectListeners) listener();
  }

  /**
   * Closes the connection. Other processes see the same as after the death of this process: messages in progress are
   * not acknowledged.
   */
  async close(): Promise<void> {
    this.connected = false;
    this.closed = true;
    for (const end of this.endings) end();
    this.endings.clear();
    return Promise.resolve();
  }

  subscribe(subject: string, handler: (message: BusMessage) => void): () => void {
    const end = this.broker.subscribe(subject, {
      isConnected: () => this.carries(),
      receive: (message) => handler(this.answerable(message)),
    });
    this.endings.add(end);
    return () => {
      this.endings.delete(end);
      end();
    };
  }

  async flush(): Promise<void> {
    this.requireConnection();
    return Promise.resolve();
  }

  async consumeReports(
    arch: string,
    handler: ReportHandler,
    refusal?: ReportRefusal,
  ): Promise<ReportConsumption> {
    this.requireConnection();
    const intake = new ReportIntake(handler, this.broker.limits, this.broker.clock, refusal);
    const consumption = this.broker.reports.consume(arch, { intake, isConnected: () => this.carries() });
    this.endings.add(() => void consumption.stop());
    return Promise.resolve(consumption);
  }

  /** An answer is lost when its sender has lost the connection. */
  private answerable({ subject, text, respond }: BusMessage): BusMessage {
    if (!respond) return { subject, text };
    return {
      subject,
      text,
      respond: (answer) => {
        requireRoom(subject, answer, MESSAGE_BYTES_MAX);
        if (this.carries()) respond(answer);
      },
    };
  }

  private answerTo(subject: string, text: string, timeoutMs: number): Promise<string | null> {
    return new Promise((resolve) => {
      const cancel = this.broker.clock.after(timeoutMs, () => resolve(null));
      const end = (answer: string | null) => {
        cancel();
        resolve(answer);
      };
      const respond = (answer: string) => {
        this.broker.travel({ kind: 'answer', subject, text: answer }, () => {
          if (this.carries()) end(answer);
        });
      };
      if (!this.broker.publish('request', { subject, text, respond })) end(null);
    });
  }

  /** Whether what the connection is given arrives: one that is swallowed is connected, and carries nothing. */
  protected carries(): boolean {
    return this.connected;
  }

  private requireConnection(): void {
    if (!this.connected) throw new NoAnswer('not connected');
  }
}
