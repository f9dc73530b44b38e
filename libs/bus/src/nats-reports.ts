import { AckPolicy, type ConsumerMessages, type JsMsg, type MsgRequest } from '@nats-io/jetstream';
import { errors, nanos } from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';
import type { Clock } from '@proctor/clock';
import { reportFilter, reportStream } from '@proctor/contracts';
import type { ReportConsumption } from './bus';
import type { BusLimits } from './limits';
import type { NatsLink } from './nats-link';
import type { Delivery, ReportIntake } from './report-intake';
import { unlessClosed } from './unless-closed';
import { within } from './within';

const PULL_EXPIRES_MS = 5000;
const RETRY_MS = 1000;
const BACKLOG_POLL_MS = 200;
const BACKLOG_PATIENCE_MS = 1000;

/** Takes one architecture's reports from their stream through its durable pull consumer. */
export class NatsReportConsumption implements ReportConsumption {
  readonly drained: Promise<void>;
  private readonly logger = new Logger('Bus');
  private readonly stream: string;
  private readonly durable: string;
  private resolveDrained: () => void;
  private messages: ConsumerMessages | null = null;
  private cancelTimer = new Map<string, () => void>();
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
    this.drained = new Promise((resolve) => (this.resolveDrained = resolve));
  }

  /** @throws when JetStream does not answer */
  async start(): Promise<void> {
    await this.ensureConsumer();
    const { state } = await this.link.jsm.streams.info(this.stream);
    await this.consume();
    void this.watchBacklog(state.last_seq);
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
    for (const cancel of this.cancelTimer.values()) cancel();
    this.messages?.stop();
    await this.intake.stop();
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
    this.after('resume', RETRY_MS, () => {
      this.ensureConsumer()
        .then(() => this.consume())
        .catch((failure: unknown) => this.resume(failure));
    });
  }

  /**
   * A work queue drops what is acknowledged or ended: the backlog is drained when the first report left
   * came after `lastSequence`.
   */
  private async watchBacklog(lastSequence: number): Promise<void> {
    if (this.stopped) return;
    try {
      const asking = this.link.jsm.streams.getMessage(this.stream, this.firstLeft());
      // A question that was on its way when the connection broke has no answer.
      if (await within(asking, BACKLOG_PATIENCE_MS, this.clock)) {
        const first = await asking;
        if (!first || first.seq > lastSequence) return this.resolveDrained();
      }
    } catch (error) {
      this.logger.debug(`backlog of ${this.arch}: ${String(error)}`);
    }
    this.after('backlog', BACKLOG_POLL_MS, () => void this.watchBacklog(lastSequence));
  }

  /** The client's types know `next_by_subj` for direct gets only, which a lagging replica may answer. */
  private firstLeft(): MsgRequest {
    return { seq: 1, next_by_subj: reportFilter(this.arch) } as MsgRequest;
  }

  private after(name: string, ms: number, action: () => void): void {
    if (this.stopped) return;
    this.cancelTimer.set(name, this.clock.after(ms, action));
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
