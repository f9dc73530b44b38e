import type { Clock } from '@proctor/clock';
import { REPORT_PREFIX, reportOrigin, reportSender, type ReportOrigin } from '@proctor/contracts';
import { NoAnswer, StreamFull, type ReportConsumption } from '@libs/bus/src/bus';
import type { BusLimits } from '@libs/bus/src/limits';
import type { Delivery, ReportIntake } from '@libs/bus/src/report-intake';

interface StoredReport {
  sequence: number;
  subject: string;
  text: string;
  deliveries: number;
  /** Waits for a consumer; otherwise it is delivered, or waits out a delay. */
  ready: boolean;
  /** Ends the delivery's or the delay's time. */
  cancelTimer: () => void;
}

/** The parts of the server that the streams use. */
interface Server {
  clock: Clock;
  limits: BusLimits;
  travel(
    message: { kind: 'delivery' | 'acknowledgement'; subject: string; text: string },
    arrive: () => void,
  ): boolean;
}

export interface MemoryConsumer {
  isConnected(): boolean;
  intake: ReportIntake;
}

/** The streams of reports: for each architecture a work queue of each worker, and those who consume them all. */
export class MemoryReports {
  private readonly archs = new Map<string, ArchReports>();

  constructor(private readonly server: Server) {}

  prepare(arch: string, workers: readonly string[]): void {
    const { streams, consumers } = this.of(arch);
    for (const worker of workers)
      if (!streams.has(worker)) streams.set(worker, new ReportStream(this.server, consumers));
  }

  /** Stores a report, unless a copy of it waits already. Returns why the report cannot be stored, else null. */
  publish(subject: string, text: string): NoAnswer | StreamFull | null {
    const stream = this.of(archOf(subject)).streams.get(reportSender(subject));
    if (!stream) return new NoAnswer(`${subject}: there is no stream for it yet, a scheduler makes it`);
    return stream.add(subject, text) ? null : new StreamFull(`${subject}: the stream is full`);
  }

  consume(arch: string, consumer: MemoryConsumer): ReportConsumption {
    const { streams, consumers } = this.of(arch);
    consumers.add(consumer);
    for (const stream of streams.values()) stream.deliver();
    return {
      stop: () => {
        consumers.delete(consumer);
        return consumer.intake.stop();
      },
    };
  }

  waiting(arch: string): ReportOrigin[] {
    const subjects = [...this.of(arch).streams.values()].flatMap((stream) => stream.subjects);
    return subjects.flatMap((subject) => reportOrigin(subject) ?? []);
  }

  /** Reports in all streams. */
  get size(): number {
    return this.streams.reduce((sum, { subjects }) => sum + subjects.length, 0);
  }

  /** Deliveries that waited for a consumer's connection go on. */
  resume(): void {
    for (const stream of this.streams) stream.deliver();
  }

  /** All streams and what they held are gone, until a scheduler makes them again. */
  lose(): void {
    for (const stream of this.streams) stream.end();
    for (const { streams } of this.archs.values()) streams.clear();
  }

  private of(arch: string): ArchReports {
    const reports = this.archs.get(arch) ?? { streams: new Map(), consumers: new Set() };
    this.archs.set(arch, reports);
    return reports;
  }

  private get streams(): ReportStream[] {
    return [...this.archs.values()].flatMap(({ streams }) => [...streams.values()]);
  }
}

interface ArchReports {
  /** Worker → its stream. */
  streams: Map<string, ReportStream>;
  consumers: Set<MemoryConsumer>;
}

class ReportStream {
  private readonly stored: StoredReport[] = [];
  private lastSequence = 0;

  constructor(
    private readonly server: Server,
    private readonly consumers: ReadonlySet<MemoryConsumer>,
  ) {}

  get subjects(): string[] {
    return this.stored.map(({ subject }) => subject);
  }

  /** False when the stream is full. */
  add(subject: string, text: string): boolean {
    if (this.stored.some((report) => report.subject === subject)) return true;
    const { reportsBytesMax, reportsMax } = this.server.limits;
    const bytes = this.stored.reduce((sum, report) => sum + Buffer.byteLength(report.text), 0);
    if (bytes + Buffer.byteLength(text) > reportsBytesMax || this.stored.length >= reportsMax) return false;
    const sequence = ++this.lastSequence;
    this.stored.push({ sequence, subject, text, deliveries: 0, ready: true, cancelTimer: () => undefined });
    this.deliver();
    return true;
  }

  /** Nothing of it is left. */
  end(): void {
    for (const report of this.stored.splice(0)) report.cancelTimer();
  }

  /** Delivers the ready messages to each connected consumer, up to its limit of unsettled ones. */
  deliver(): void {
    const consumers = [...this.consumers].filter((each) => each.isConnected());
    if (consumers.length === 0) return;
    let unsettled = this.stored.filter(({ deliveries }) => deliveries > 0).length;
    for (const report of this.stored.filter(({ ready }) => ready)) {
      if (report.deliveries === 0 && ++unsettled > this.server.limits.reportsPendingMax) return;
      this.deliverTo(consumers, report);
    }
  }

  private deliverTo(consumers: MemoryConsumer[], report: StoredReport): void {
    report.deliveries++;
    const { subject, text, deliveries } = report;
    this.release(report, this.server.limits.reportAckWaitMs);
    for (const consumer of consumers)
      this.server.travel({ kind: 'delivery', subject, text }, () => {
        if (consumer.isConnected()) consumer.intake.receive(this.deliveryOf(consumer, report, deliveries));
      });
  }

  private deliveryOf(consumer: MemoryConsumer, report: StoredReport, deliveries: number): Delivery {
    const { sequence, subject, text } = report;
    const say = (effect: () => void) => {
      if (!consumer.isConnected() || !this.stored.includes(report)) return;
      this.server.travel({ kind: 'acknowledgement', subject, text }, effect);
    };
    const mine = () => report.deliveries === deliveries && !report.ready;
    return {
      sequence,
      subject,
      text,
      deliveries,
      acknowledge: () => say(() => this.remove(report)),
      end: () => say(() => this.remove(report)),
      refuse: (delayMs) => say(() => mine() && this.release(report, delayMs)),
      stillWorking: () => {
        if (consumer.isConnected() && mine()) this.release(report, this.server.limits.reportAckWaitMs);
      },
    };
  }

  /** Makes the report ready for the next delivery after `ms`. */
  private release(report: StoredReport, ms: number): void {
    report.cancelTimer();
    report.ready = false;
    report.cancelTimer = this.server.clock.after(ms, () => {
      report.ready = true;
      this.deliver();
    });
  }

  private remove(report: StoredReport): void {
    report.cancelTimer();
    const at = this.stored.indexOf(report);
    if (at < 0) return;
    this.stored.splice(at, 1);
    this.deliver();
  }
}

function archOf(subject: string): string {
  return subject.slice(REPORT_PREFIX.length).split('.')[0] ?? '';
}
