import type { Clock } from '@proctor/clock';
import { reportOrigin, type ReportOrigin } from '@proctor/contracts';
import { NoAnswer, StreamFull, type ReportConsumption } from './bus';
import type { MemoryBroker } from './memory-broker';
import type { Delivery, ReportIntake } from './report-intake';

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

export interface MemoryConsumer {
  /** Of its process. */
  clock: Clock;
  isConnected(): boolean;
  intake: ReportIntake;
}

/** The pause before a consumer makes a lost stream again, as NatsReportConsumption has it. */
const RESUME_MS = 1000;

/** The streams of reports: a work queue for each architecture that a scheduler has served. */
export class MemoryReports {
  private readonly streams = new Map<string, ReportStream>();

  constructor(private readonly broker: MemoryBroker) {}

  prepare(arch: string): void {
    if (!this.streams.has(arch)) this.streams.set(arch, new ReportStream(this.broker));
  }

  /** A copy of a report that waits is not stored. Returns why the report cannot be stored, else null. */
  publish(subject: string, text: string): NoAnswer | StreamFull | null {
    const stream = this.streams.get(archOf(subject));
    if (!stream) return new NoAnswer(`${subject}: there is no stream for it yet, a scheduler makes it`);
    return stream.add(subject, text) ? null : new StreamFull(`${subject}: the stream is full`);
  }

  /** The stream must have been prepared; its consumer makes it again should it be lost. */
  consume(arch: string, consumer: MemoryConsumer): ReportConsumption {
    const consumption = { stopped: false };
    this.attach(arch, consumer, consumption);
    return {
      stop: () => {
        consumption.stopped = true;
        this.streams.get(arch)?.detach(consumer);
        return consumer.intake.stop();
      },
    };
  }

  /** The stream must have been prepared. */
  waiting(arch: string): ReportOrigin[] {
    return this.stream(arch).subjects.flatMap((subject) => reportOrigin(subject) ?? []);
  }

  /** Reports in all streams. */
  get size(): number {
    return [...this.streams.values()].reduce((sum, { subjects }) => sum + subjects.length, 0);
  }

  /** Deliveries that waited for a consumer's connection go on. */
  resume(): void {
    for (const stream of this.streams.values()) stream.deliver();
  }

  /** All streams and what they held are gone, until a scheduler makes them again. */
  lose(): void {
    const lost = [...this.streams.values()];
    this.streams.clear();
    for (const stream of lost) stream.end();
  }

  private attach(arch: string, consumer: MemoryConsumer, consumption: { stopped: boolean }): void {
    this.stream(arch).attach(consumer, () => this.attachAgain(arch, consumer, consumption));
  }

  private attachAgain(arch: string, consumer: MemoryConsumer, consumption: { stopped: boolean }): void {
    consumer.clock.after(RESUME_MS, () => {
      if (consumption.stopped) return;
      if (!consumer.isConnected()) return this.attachAgain(arch, consumer, consumption);
      this.prepare(arch);
      this.attach(arch, consumer, consumption);
    });
  }

  private stream(arch: string): ReportStream {
    const stream = this.streams.get(arch);
    if (!stream) throw new Error(`the reports of ${arch} have no stream`);
    return stream;
  }
}

class ReportStream {
  private readonly stored: StoredReport[] = [];
  /** With what is to be done when the stream is lost. */
  private readonly consumers = new Map<MemoryConsumer, () => void>();
  private lastSequence = 0;

  constructor(private readonly broker: MemoryBroker) {}

  get subjects(): string[] {
    return this.stored.map(({ subject }) => subject);
  }

  /** False when the stream is full. */
  add(subject: string, text: string): boolean {
    if (this.stored.some((report) => report.subject === subject)) return true;
    const bytes = this.stored.reduce((sum, report) => sum + Buffer.byteLength(report.text), 0);
    if (bytes + Buffer.byteLength(text) > this.broker.limits.reportsBytesMax) return false;
    const sequence = ++this.lastSequence;
    this.stored.push({ sequence, subject, text, deliveries: 0, ready: true, cancelTimer: () => undefined });
    this.deliver();
    return true;
  }

  attach(consumer: MemoryConsumer, lost: () => void): void {
    this.consumers.set(consumer, lost);
    this.deliver();
  }

  detach(consumer: MemoryConsumer): void {
    this.consumers.delete(consumer);
  }

  /** Nothing of it is left. */
  end(): void {
    for (const report of this.stored.splice(0)) report.cancelTimer();
    for (const lost of this.consumers.values()) lost();
    this.consumers.clear();
  }

  deliver(): void {
    for (const report of this.stored) {
      const consumer = [...this.consumers.keys()].find((each) => each.isConnected());
      if (!consumer) return;
      if (report.ready) this.deliverTo(consumer, report);
    }
  }

  private deliverTo(consumer: MemoryConsumer, report: StoredReport): void {
    report.deliveries++;
    const { subject, text, deliveries } = report;
    this.release(report, this.broker.limits.reportAckWaitMs);
    this.broker.travel({ kind: 'delivery', subject, text }, () => {
      if (consumer.isConnected()) consumer.intake.take(this.deliveryOf(consumer, report, deliveries));
    });
  }

  private deliveryOf(consumer: MemoryConsumer, report: StoredReport, deliveries: number): Delivery {
    const { sequence, subject, text } = report;
    const say = (effect: () => void) => {
      if (!consumer.isConnected() || !this.stored.includes(report)) return;
      this.broker.travel({ kind: 'acknowledgement', subject, text }, effect);
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
        if (consumer.isConnected() && mine()) this.release(report, this.broker.limits.reportAckWaitMs);
      },
    };
  }

  /** Makes the report ready for the next delivery after `ms`. */
  private release(report: StoredReport, ms: number): void {
    report.cancelTimer();
    report.ready = false;
    report.cancelTimer = this.broker.clock.after(ms, () => {
      report.ready = true;
      this.deliver();
    });
  }

  private remove(report: StoredReport): void {
    report.cancelTimer();
    const at = this.stored.indexOf(report);
    if (at >= 0) this.stored.splice(at, 1);
  }
}

function archOf(subject: string): string {
  return reportOrigin(subject)?.arch ?? '';
}
