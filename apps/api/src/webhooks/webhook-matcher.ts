import { Logger } from '@nestjs/common';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { type Clock, WakeUp } from '@proctor/clock';
import { SUBJECTS } from '@proctor/contracts';
import type { WebhookDeliveries, WebhookEvents } from '@proctor/database';
import type { ApiConfiguration } from '../configuration.token';
import type { DispatcherClient } from '../dispatchers/dispatcher-client';
import { isWantedBy } from './webhook-message';
import type { WebhookSender } from './webhook-sender';

/** How late deliveries are created for events if their hint was lost. */
const LOOK_EVERY_MS = 1_000;
/** How late deliveries are created while there is no webhook, or another process creates them. */
const IDLE_LOOK_EVERY_MS = 30_000;
/** Hints within this time lead to one read. */
const LOOK_GAP_MS = 200;

const EXPIRE_EVERY_MS = 600_000;
const EXPIRED_AT_ONCE_MAX = 1_000;
const DAY_SECONDS = 86_400;

interface MatcherPorts {
  events: Pick<WebhookEvents, 'step'>;
  deliveries: Pick<WebhookDeliveries, 'expire'>;
  sender: Pick<WebhookSender, 'wake'>;
  dispatchers: Pick<DispatcherClient, 'listen'>;
  configuration: ApiConfiguration;
  clock: Clock;
}

/** Creates deliveries for new events, and deletes old ones; only in one process at a time. */
export class WebhookMatcher implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('WebhookMatcher');
  private readonly news: WakeUp;
  private readonly end: WakeUp;
  private isShutDown = false;
  private expiresAt = 0;
  private loop: Promise<void> = Promise.resolve();

  constructor(private readonly ports: MatcherPorts) {
    this.news = new WakeUp(ports.clock);
    this.end = new WakeUp(ports.clock);
  }

  onApplicationBootstrap(): void {
    this.ports.dispatchers.listen(SUBJECTS.resultsChanged, () => this.news.wake());
    this.loop = this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isShutDown = true;
    this.news.wake();
    this.end.wake();
    await this.loop;
  }

  private async run(): Promise<void> {
    while (!this.isShutDown) {
      this.news.reset();
      const waitMs = await this.step();
      if (!this.isShutDown) await this.end.wait(LOOK_GAP_MS);
      if (waitMs > 0 && !this.isShutDown) await this.news.wait(waitMs);
    }
  }

  /** @returns milliseconds until the next step without a hint */
  private async step(): Promise<number> {
    const { events, deliveries, sender, configuration, clock } = this.ports;
    const { waitingMax, keptDays } = configuration.server.webhooks;
    try {
      const step = await events.step(isWantedBy, waitingMax);
      if (step && step.made > 0) sender.wake();
      if (clock.now() >= this.expiresAt) {
        const expired = await deliveries.expire(keptDays * DAY_SECONDS, EXPIRED_AT_ONCE_MAX);
        if (expired < EXPIRED_AT_ONCE_MAX) this.expiresAt = clock.now() + EXPIRE_EVERY_MS;
      }
      if (!step) return IDLE_LOOK_EVERY_MS;
      return step.hasMore ? 0 : LOOK_EVERY_MS;
    } catch (error) {
      // The next step may succeed.
      this.logger.warn(`no deliveries could be made: ${String(error)}`);
      return LOOK_EVERY_MS;
    }
  }
}
