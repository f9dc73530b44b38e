import { nanos, type Msg, type Subscription } from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';
import { waitAtMost, type Clock } from '@proctor/clock';
import { reportInbox } from './accounts';
import type { ReportConsumption } from './bus';
import { deliveryTokens } from './delivery-tokens';
import type { BusLimits } from './limits';
import type { NatsLink } from './nats-link';
import type { Delivery, ReportIntake } from './report-intake';
import { unlessClosed } from './unless-closed';

/**
 * Receives the reports of one architecture: one subscription for all its streams, whose consumers push there. The
 * subject is the same for each process that serves the architecture, so the next owner has nothing to change.
 */
export class NatsReportConsumption implements ReportConsumption {
  private readonly logger = new Logger('Bus');
  private subscription: Subscription | null = null;

  constructor(
    private readonly link: NatsLink,
    private readonly arch: string,
    private readonly intake: ReportIntake,
    private readonly limits: BusLimits,
    private readonly clock: Clock,
  ) {}

  /** Resolves once the subscription is in effect. @throws when there is no connection */
  async start(): Promise<void> {
    this.subscription = this.link.nc.subscribe(reportInbox(this.arch), {
      callback: (error, message) => {
        if (error) this.logger.error(`reports of ${this.arch}: ${error.message}`);
        else this.receive(message);
      },
    });
    try {
      await this.link.nc.flush();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    const { subscription } = this;
    this.subscription = null;
    // The intake returns reports that still arrive, so that the next consumer need not wait for them.
    const drained = this.link.isConnected() ? subscription?.drain() : undefined;
    await waitAtMost(
      Promise.allSettled([drained, this.intake.stop()]),
      this.limits.drainTimeoutMs,
      this.clock,
    );
    if (subscription?.isClosed() === false) subscription.unsubscribe();
  }

  private receive(message: Msg): void {
    const delivery = deliveryOf(message);
    if (delivery) this.intake.receive(delivery);
    else this.logger.warn(`reports of ${this.arch}: a message on ${message.subject} is no delivery`);
  }
}

/** Null when the message is not from JetStream. */
function deliveryOf(message: Msg): Delivery | null {
  const tokens = deliveryTokens(message.reply);
  if (!tokens) return null;
  const { deliveries, sequence } = tokens;
  const respond = (what: string) => unlessClosed(() => message.respond(what));
  return {
    sequence,
    subject: message.subject,
    text: message.string(),
    deliveries,
    acknowledge: () => respond('+ACK'),
    refuse: (delayMs) => respond(nak(delayMs)),
    // Without a reason: servers before 2.10.4 do not understand one.
    end: () => respond('+TERM'),
    stillWorking: () => respond('+WPI'),
  };
}

/**
 * The text that asks for a later delivery. The server accepts only whole nanoseconds, and delivers at once if the delay
 * is anything else.
 */
export function nak(delayMs: number): string {
  return delayMs > 0 ? `-NAK ${JSON.stringify({ delay: nanos(Math.ceil(delayMs)) })}` : '-NAK';
}
