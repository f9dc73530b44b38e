import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Logger } from '@nestjs/common';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { type Clock, waitAtMost, WorkLoop } from '@proctor/clock';
import type {
  ClaimedWebhook,
  DeliveryAttempt,
  DueDelivery,
  Sender,
  WebhookChange,
  WebhookDeliveries,
} from '@proctor/database';
import { kindOf, mustDisable, pauseMs, retryMs } from '@proctor/webhooks';
import type { ApiConfiguration } from '../configuration.token';
import { bodyOf, messageOf } from './webhook-message';
import type { WebhookAnswer, WebhookMessage } from './webhook-request';
import { whyNoWebhook, type OwnServices } from './webhook-url';

/** How late a delivery is sent that another process has left after the last check. */
const LOOK_EVERY_MS = 30_000;
/** The time between two checks while another process may send the due deliveries. */
const LOOK_GAP_MS = 1_000;
/** To how many webhooks one process sends at the same time. */
const WEBHOOKS_AT_ONCE_MAX = 16;
/** How many deliveries are sent to a webhook at the same time; one after a failure. */
const RUNS_AT_ONCE_MAX = 4;
/** A claim lasts longer than its deliveries may take, so that no two processes send to a webhook. */
const CLAIM_MARGIN_MS = 5_000;
/** How long the process waits for answers when it stops. */
const LAST_ANSWERS_MS = 3_000;

interface SenderPorts {
  deliveries: Pick<WebhookDeliveries, 'claim' | 'nextDueMs' | 'renew' | 'release' | 'due' | 'record'>;
  configuration: ApiConfiguration;
  ownServices: OwnServices;
  clock: Clock;
  send: (message: WebhookMessage) => Promise<WebhookAnswer>;
  random: () => number;
  /** An attempt has ended, or there will be none. */
  onOutcome: (outcome: DeliveryOutcome) => void;
}

export const DELIVERY_OUTCOMES = ['delivered', 'again', 'failed'] as const;
/** `again`: it failed and will be repeated; `failed`: it failed for the last time. */
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

/** Sends due deliveries: events of one run one after the other, and to each webhook from one process. */
export class WebhookSender implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('WebhookSender');
  private readonly name = `${hostname()}-${process.pid}-${randomUUID()}`;
  private readonly loop: WorkLoop;
  private readonly serving = new Set<Promise<void>>();

  constructor(private readonly ports: SenderPorts) {
    this.loop = new WorkLoop(ports.clock, () => this.step());
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  /** A delivery is due. */
  wake(): void {
    this.loop.wake();
  }

  /** Deliveries that end soon are recorded; another process sends the others again. */
  async beforeApplicationShutdown(): Promise<void> {
    await waitAtMost(Promise.all([this.loop.stop(), ...this.serving]), LAST_ANSWERS_MS, this.ports.clock);
  }

  /** @returns milliseconds until the next look */
  private async step(): Promise<number> {
    const isServing = this.serving.size < WEBHOOKS_AT_ONCE_MAX && (await this.serveNext());
    return isServing ? 0 : this.untilLookMs();
  }

  private async untilLookMs(): Promise<number> {
    try {
      const dueMs = await this.ports.deliveries.nextDueMs();
      return Math.min(Math.max(dueMs ?? LOOK_EVERY_MS, LOOK_GAP_MS), LOOK_EVERY_MS);
    } catch (error) {
      this.logger.warn(`not known when the next delivery is due: ${String(error)}`);
      return LOOK_GAP_MS;
    }
  }

  /** @returns whether a webhook had due deliveries */
  private async serveNext(): Promise<boolean> {
    try {
      const webhook = await this.ports.deliveries.claim(this.sender);
      if (!webhook) return false;
      const served = this.serve(webhook)
        .catch((error: unknown) => this.logger.warn(`webhook ${webhook.webhookId}: ${String(error)}`))
        .finally(() => {
          this.serving.delete(served);
          this.loop.wake();
        });
      this.serving.add(served);
      return true;
    } catch (error) {
      this.logger.warn(`no look for deliveries: ${String(error)}`);
      return false;
    }
  }

  private async serve(claimed: ClaimedWebhook): Promise<void> {
    const { deliveries } = this.ports;
    let webhook: ClaimedWebhook | null = claimed;
    while (webhook && !this.loop.isStopped) {
      const due = await deliveries.due(webhook.webhookId, webhook.failures > 0 ? 1 : RUNS_AT_ONCE_MAX);
      if (due.length === 0) break;
      const { failures, failingMs } = webhook;
      const standing = { failures, failingMs };
      await Promise.all(due.map((delivery) => this.deliver(delivery, webhook!, standing)));
      webhook = await deliveries.renew(webhook.webhookId, this.sender);
    }
    await deliveries.release(claimed.webhookId, this.name);
  }

  private async deliver(
    delivery: DueDelivery,
    webhook: ClaimedWebhook,
    standing: { failures: number; failingMs: number },
  ): Promise<void> {
    const { configuration, ownServices } = this.ports;
    const { neutral, webhooks: limits } = configuration.server;
    const why = whyNoWebhook(webhook.url, limits.mayBeHttp, ownServices);
    if (!delivery.isTest && !delivery.event)
      return this.failDelivery(delivery, webhook, 'the webhook may no longer get events of this run');
    if (why !== null) return this.failDelivery(delivery, webhook, `the address is not allowed: ${why}`);
    const body = bodyOf(delivery, neutral);
    const answer = await this.ports.send(messageOf(delivery, webhook, body, Math.floor(Date.now() / 1_000)));
    const { attempt, change } = judgeAttempt(delivery, answer, standing, this.ports.random());
    await this.ports.deliveries.record(webhook.webhookId, attempt, change, this.name);
    this.ports.onOutcome(attempt.state === 'pending' ? 'again' : attempt.state);
  }

  private async failDelivery(
    { deliveryId }: DueDelivery,
    { webhookId }: ClaimedWebhook,
    error: string,
  ): Promise<void> {
    const result = { status: null, durationMs: 0, answer: null, error };
    const attempt = { deliveryId, state: 'failed' as const, retryMs: 0, ...result };
    await this.ports.deliveries.record(webhookId, attempt, null, this.name);
    this.ports.onOutcome('failed');
  }

  private get sender(): Sender {
    return { name: this.name, claimMs: this.ports.configuration.server.webhooks.timeoutMs + CLAIM_MARGIN_MS };
  }
}

/**
 * The state of a delivery and its webhook after an attempt.
 * @param standing before the attempt; it is changed, so that attempts at the same time count one after the other
 */
function judgeAttempt(
  { deliveryId, attempts }: Pick<DueDelivery, 'deliveryId' | 'attempts'>,
  answer: WebhookAnswer,
  standing: { failures: number; failingMs: number },
  random: number,
): { attempt: DeliveryAttempt; change: WebhookChange } {
  const { status, durationMs, text } = answer;
  const kind = kindOf(answer);
  const waitMs = kind === 'failed' ? retryMs(attempts + 1, answer, random) : null;
  const state = kind === 'delivered' ? 'delivered' : waitMs === null ? 'failed' : 'pending';
  const error = kind === 'delivered' ? null : (answer.error ?? `the answer was ${status}`);
  const attempt = {
    deliveryId,
    state,
    retryMs: waitMs ?? 0,
    status,
    durationMs,
    answer: text,
    error,
  } as const;
  if (kind === 'delivered') {
    standing.failures = 0;
    return { attempt, change: { failures: 0, pauseMs: 0, disabledReason: null } };
  }
  standing.failures += 1;
  const { failures, failingMs } = standing;
  const disabledReason =
    kind === 'gone'
      ? 'it has answered that it is gone (410)'
      : mustDisable(failingMs)
        ? `nothing came through for five days; at last: ${error}`
        : null;
  return { attempt, change: { failures, pauseMs: pauseMs(failures, answer), disabledReason } };
}
