import { AckPolicy, type ConsumerMessages, type JsMsg } from '@nats-io/jetstream';
import { errors, nanos } from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';
import { within, type Clock } from '@proctor/clock';
import { reportFilter, reportStream } from '@proctor/contracts';
import type { ReportConsumption } from './bus';
import type { BusLimits } from './limits';
import type { NatsLink } from './nats-link';
import type { Delivery, ReportIntake } from './report-intake';
import { unlessClosed } from './unless-closed';

const PULL_EXPIRES_MS = 5000;
const RETRY_MS = 1000;

/** Takes one architecture's reports from their stream through its durable pull consumer. */
export class NatsReportConsumption implements ReportConsumption {
  private readonly logger = new Logger('Bus');
  private readonly stream: string;
  private readonly durable: string;
  private messages: ConsumerMessages | null = null;
  private cancelResume = (): void => undefined;
  private stopped = false;

  constructor(
    private readonly link: NatsLink,
    private readonly arch: string,
    private readonly intake: ReportIntake,
    private readonly limits: BusLimits,
    private readonly clock: Clock,
  ) {
    this.stream = reportStream(arch);
    this.durable = `report-${arch}`;
  }

  /** @throws when JetStream does not answer */
  async start(): Promise<void> {
    await this.ensureConsumer();
    await this.consume();
  }

  /** Makes the stream and the durable consumer, again if the server has lost them. */
  async ensureConsumer(): Promise<void> {
    await this.link.ensureReportStream(this.arch);
    await this.link.jsm.consumers.add(this.stream, {
      durable_name: this.durable,
      filter_subject: reportFilter(this.arch),
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(this.limits.reportAckWaitMs),
      max_ack_pending: this.limits.reportsPendingMax,
      max_deliver: -1,
    });
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.cancelResume();
    this.messages?.stop();
    // Until the server knows, it may hand reports to this consumer, which would come again only after their ack wait.
    const known = this.link.nc.flush().catch(() => undefined);
    await within(Promise.all([known, this.intake.stop()]), this.limits.drainTimeoutMs, this.clock);
  }

  private async consume(): Promise<void> {
    const consumer = await this.link.js.consumers.get(this.stream, this.durable);
    const messages = await consumer.consume({
      max_messages: this.limits.reportsInFlightMax,
      expires: PULL_EXPIRES_MS,
      // Nobody but this process makes them again.
      abort_on_missing_resource: true,
      callback: (message) => this.intake.take(deliveryOf(message)),
    });
    if (this.stopped) return messages.stop();
    this.messages = messages;
    void messages.closed().then((error) => this.resume(error));
  }

  /** The client gives a consumption up for what it thinks final, as a lost stream; the reports are still needed. */
  private resume(error: unknown): void {
    if (this.stopped || error instanceof errors.ClosedConnectionError) return;
    const reason = error instanceof Error ? error.message : 'the consumption ended';
    this.logger.warn(`reports of ${this.arch}: ${reason}, starting it again`);
    this.cancelResume = this.clock.after(RETRY_MS, () => {
      this.ensureConsumer()
        .then(() => this.consume())
        .catch((failure: unknown) => this.resume(failure));
    });
  }
}

function deliveryOf(message: JsMsg): Delivery {
  return {
    sequence: message.seq,
    subject: message.subject,
    text: message.string(),
    deliveries: message.info.deliveryCount,
    acknowledge: () => unlessClosed(() => message.ack()),
    refuse: (delayMs) => unlessClosed(() => message.nak(delayMs)),
    // Without a reason: servers before 2.10.4 do not understand one.
    end: () => unlessClosed(() => message.term()),
    stillWorking: () => unlessClosed(() => message.working()),
  };
}
