import { Logger } from '@nestjs/common';
import { waitAtMost, type Clock } from '@proctor/clock';
import { growingPauseMs } from '@proctor/pauses';
import { MalformedMessage, reportOrigin, reportSender } from '@proctor/contracts';
import { IN_VAIN, RetryLater, type ReportHandler, type ReportMessage, type ReportRefusal } from './bus';
import type { BusLimits } from './limits';
import { Complaints } from './complaints';
import { Outages } from './outages';
import { VainReports } from './vain-reports';

/** One delivery of a report, with the possible answers to the stream. */
export interface Delivery {
  /** The report's place in the stream, the same at each delivery. */
  sequence: number;
  subject: string;
  text: string;
  /** This one included: 1 is the first. */
  deliveries: number;
  acknowledge(): void;
  /** Asks for another delivery after `delayMs`. */
  refuse(delayMs: number): void;
  /** Ends the report: it never comes again. */
  end(): void;
  /** Starts `reportAckWaitMs` again. */
  stillWorking(): void;
}

/** How often, within the time after which it would be delivered again, a delivery in progress is reported alive. */
const HEARTBEATS_PER_ACK_WAIT = 3;
/** Reports whose failures are remembered. */
const FAILURES_REMEMBERED_MAX = 10_000;
/** Characters of a refused report in the log. */
const LOGGED_REPORT_LENGTH_MAX = 1000;

/** Passes the deliveries of one scope in order to their handler, several at a time, and settles each. */
export class ReportIntake {
  private readonly logger = new Logger('Bus');
  private readonly waiting: Delivery[] = [];
  private readonly heartbeats = new Map<Delivery, () => void>();
  private readonly handling = new Set<Promise<void>>();
  /** Deliveries of each worker that wait or are handled. */
  private readonly deliveriesOf = new Map<string, number>();
  /** Unsettled report → how often it failed here. */
  private readonly failures = new Map<string, number>();
  private readonly outages: Outages;
  private readonly complaints: Complaints;
  private readonly vain: VainReports;
  private stopped = false;

  constructor(
    private readonly handler: ReportHandler,
    private readonly limits: BusLimits,
    private readonly clock: Clock,
    private readonly refusal: ReportRefusal = () => Promise.resolve(),
  ) {
    this.outages = new Outages(this.logger, clock);
    this.complaints = new Complaints(this.logger, clock);
    this.vain = new VainReports(limits, clock);
  }

  receive(delivery: Delivery): void {
    if (this.stopped) return delivery.refuse(0);
    const worker = reportSender(delivery.subject);
    const deliveries = this.deliveriesOf.get(worker) ?? 0;
    // nats-server 2.9 delivers more than the limit from a full stream that drops its oldest.
    if (deliveries >= this.limits.reportsPendingMax) return delivery.refuse(this.limits.redeliveryDelayMaxMs);
    this.deliveriesOf.set(worker, deliveries + 1);
    this.startHeartbeat(delivery);
    this.waiting.push(delivery);
    this.handleNext();
  }

  /** See ReportConsumption.stop. */
  async stop(): Promise<void> {
    this.stopped = true;
    for (const delivery of this.waiting.splice(0)) {
      this.release(delivery);
      delivery.refuse(0);
    }
    await waitAtMost(Promise.allSettled(this.handling), this.limits.drainTimeoutMs, this.clock);
    // A handler that is not done by now loses its delivery to another consumer.
    for (const cancel of this.heartbeats.values()) cancel();
    this.heartbeats.clear();
  }

  private handleNext(): void {
    while (this.handling.size < this.limits.reportsInFlightMax) {
      const delivery = this.waiting.shift();
      if (!delivery) return;
      const waitMs = this.vain.waitMs(reportSender(delivery.subject));
      if (waitMs > 0) {
        this.release(delivery);
        delivery.refuse(waitMs);
        continue;
      }
      const handled: Promise<void> = this.handle(delivery).finally(() => {
        this.handling.delete(handled);
        this.handleNext();
      });
      this.handling.add(handled);
    }
  }

  private async handle(delivery: Delivery): Promise<void> {
    try {
      const effect = await this.handler(messageOf(delivery));
      if (effect === IN_VAIN) this.countVain(delivery);
      else this.vain.forgive(reportSender(delivery.subject));
      this.outages.onSuccess(titleOf(delivery));
      this.settle(delivery, () => delivery.acknowledge());
    } catch (error) {
      await this.fail(delivery, error);
    }
  }

  private async fail(delivery: Delivery, error: unknown): Promise<void> {
    if (error instanceof RetryLater) return this.redeliver(delivery, error, this.failuresOf(delivery));
    if (error instanceof MalformedMessage) return this.refuse(delivery, `it is malformed: ${error.message}`);
    const failures = this.failuresOf(delivery) + 1;
    if (failures < this.limits.reportFailuresMax) return this.redeliver(delivery, error, failures);
    await this.refuse(delivery, `it failed ${failures} times: ${String(error)}`);
  }

  /** The report ends once its worker is answered; until then it is delivered again. */
  private async refuse(delivery: Delivery, reason: string): Promise<void> {
    const { subject, text } = delivery;
    const line = `${subject}: refused, ${reason}: ${text.slice(0, LOGGED_REPORT_LENGTH_MAX)}`;
    this.complaints.about(`worker ${reportSender(subject)}`, line);
    this.countVain(delivery);
    try {
      await this.refusal(messageOf(delivery), reason);
      this.settle(delivery, () => delivery.end());
    } catch (error) {
      this.redeliver(delivery, error, this.failuresOf(delivery));
    }
  }

  private countVain({ subject }: Delivery): void {
    const worker = reportSender(subject);
    if (!this.vain.count(worker)) return;
    const { reportsInVainMax, reportsInVainMs } = this.limits;
    this.complaints.about(
      `reports in vain of worker ${worker}`,
      `worker ${worker}: ${reportsInVainMax} reports within ${reportsInVainMs} ms changed nothing; nothing that it ` +
        'reports is read until that time is over',
    );
  }

  private redeliver(delivery: Delivery, error: unknown, failures: number): void {
    const { subject, deliveries } = delivery;
    const delayMs = this.delayAfter(deliveries);
    if (error instanceof RetryLater) this.outages.onFailure(titleOf(delivery), error.message);
    else
      this.logger.warn(`${subject}: delivery ${deliveries} failed, again in ${delayMs} ms: ${String(error)}`);
    this.recordFailures(delivery, failures);
    this.release(delivery);
    delivery.refuse(delayMs);
  }

  private settle(delivery: Delivery, respond: () => void): void {
    this.failures.delete(keyOf(delivery));
    this.release(delivery);
    respond();
  }

  private failuresOf(delivery: Delivery): number {
    return this.failures.get(keyOf(delivery)) ?? 0;
  }

  /** Bounded: a report that another process settles would stay in memory. */
  private recordFailures(delivery: Delivery, failures: number): void {
    const key = keyOf(delivery);
    this.failures.delete(key);
    this.failures.set(key, failures);
    const [oldest] = this.failures.keys();
    if (this.failures.size > FAILURES_REMEMBERED_MAX && oldest !== undefined) this.failures.delete(oldest);
  }

  private delayAfter(deliveries: number): number {
    const { redeliveryDelayMinMs, redeliveryDelayMaxMs } = this.limits;
    return growingPauseMs(redeliveryDelayMinMs, redeliveryDelayMaxMs, deliveries);
  }

  private startHeartbeat(delivery: Delivery): void {
    const beat = () => {
      const everyMs = this.limits.reportAckWaitMs / HEARTBEATS_PER_ACK_WAIT;
      const cancel = this.clock.after(everyMs, () => {
        delivery.stillWorking();
        beat();
      });
      this.heartbeats.set(delivery, cancel);
    };
    beat();
  }

  private release(delivery: Delivery): void {
    this.heartbeats.get(delivery)?.();
    this.heartbeats.delete(delivery);
    const worker = reportSender(delivery.subject);
    const deliveries = (this.deliveriesOf.get(worker) ?? 0) - 1;
    if (deliveries > 0) this.deliveriesOf.set(worker, deliveries);
    else this.deliveriesOf.delete(worker);
  }
}

/**
 * The key of a delivery. It contains the subject, because the numbers of a stream start again after the stream was
 * lost.
 */
function keyOf({ subject, sequence }: Delivery): string {
  return `${subject} ${sequence}`;
}

function messageOf({ subject, text, deliveries }: Delivery): ReportMessage {
  return { subject, text, redelivered: deliveries > 1 };
}

/** The name of an outage: one for all reports of a kind. */
function titleOf({ subject }: Delivery): string {
  const origin = reportOrigin(subject);
  return origin ? `${origin.kind} reports of ${origin.arch}` : 'reports of no attempt';
}
