import { Injectable } from '@nestjs/common';
import type { RunEvent } from '@proctor/events';
import { Database } from '../kit/database';
import type { DeliveryState } from '@proctor/contracts';
import { eventPage, firstEvent } from '../runs/run-events';
import * as statements from './webhook-delivery-statements';
import type { ClaimedWebhook, LoggedDelivery } from './webhook-delivery-statements';
import { insertMatching, type Matches, WEBHOOK_OF_USER } from './webhook-events';

/** The number of events that are read at a time. */
const PAGE_LENGTH = 500;

/** A delivery that is due. */
export interface DueDelivery {
  deliveryId: number;
  attempts: number;
  createdAt: Date;
  isTest: boolean;
  /** Null for a test, and if the webhook may no longer get events of the run. */
  event: RunEvent | null;
}

/** The user who reads the log of their webhook. */
export interface LogReader {
  userId: number;
  /** The key whose private runs are readable; null: all that the webhook gets. */
  keyId: number | null;
}

/** The result of an attempt. */
export interface DeliveryAttempt {
  deliveryId: number;
  state: DeliveryState;
  /** The time until the next attempt. */
  retryMs: number;
  status: number | null;
  durationMs: number;
  /** The beginning of the answer. */
  answer: string | null;
  error: string | null;
}

/** The state of a webhook after an attempt. */
export interface WebhookChange {
  failures: number;
  /** The time without deliveries. */
  pauseMs: number;
  disabledReason: string | null;
}

/** The process that sends, and how long no other process may. */
export interface Sender {
  name: string;
  claimMs: number;
}

/** Deliveries to webhooks, and the processes that send them. */
@Injectable()
export class WebhookDeliveries {
  constructor(private readonly database: Database) {}

  /** Claims a webhook with a due delivery to which no process sends; null if there is none. */
  async claim({ name, claimMs }: Sender): Promise<ClaimedWebhook | null> {
    const [claimed] = await this.database.query(statements.CLAIM, [name, claimMs]);
    return claimed ?? null;
  }

  /** Milliseconds until the next delivery is due, negative if it is overdue; null if none waits. */
  async nextDueMs(): Promise<number | null> {
    const [next] = await this.database.query(statements.NEXT_DUE, []);
    return next!.dueMs;
  }

  /**
   * Extends the claim of a webhook; null if another process has it, if it was removed or disabled, or if it is
   * paused.
   */
  async renew(webhookId: number, { name, claimMs }: Sender): Promise<ClaimedWebhook | null> {
    const [claimed] = await this.database.query(statements.RENEW, [name, claimMs, webhookId]);
    return claimed ?? null;
  }

  /** Ends the claim: other processes may send to the webhook. */
  async release(webhookId: number, name: string): Promise<void> {
    await this.database.query(statements.RELEASE, [webhookId, name]);
  }

  /** The due deliveries: the first waiting one of each run. */
  async due(webhookId: number, limit: number): Promise<DueDelivery[]> {
    const rows = await this.database.query(statements.DUE, [webhookId, limit]);
    const factIds = rows.flatMap(({ factId }) => factId ?? []);
    const events =
      factIds.length === 0 ? [] : await this.database.query(statements.EVENTS, [webhookId, factIds]);
    const byId = new Map(events.map((event) => [event.factId, event]));
    return rows.map(({ factId, ...delivery }) => ({
      ...delivery,
      isTest: factId === null,
      event: factId === null ? null : (byId.get(factId) ?? null),
    }));
  }

  /** Records the result of an attempt, unless another process has claimed the webhook meanwhile. */
  async record(
    webhookId: number,
    { deliveryId, state, retryMs, ...result }: DeliveryAttempt,
    change: WebhookChange | null,
    sender: string,
  ): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const [claimedWebhook] = await transaction.query(statements.LOCK_CLAIMED, [webhookId, sender]);
      if (!claimedWebhook) return;
      const { status, durationMs, answer, error } = result;
      await transaction.query(statements.RECORD, [
        deliveryId,
        state,
        retryMs,
        status,
        durationMs,
        answer,
        error,
      ]);
      if (!change) return;
      const { failures, pauseMs, disabledReason } = change;
      await transaction.query(statements.CHANGE_STANDING, [webhookId, failures, pauseMs, disabledReason]);
    });
  }

  /** The deliveries of a webhook that the reader may see, newest first. */
  log(
    webhookId: number,
    { keyId }: LogReader,
    { state = null, before = null }: { state?: DeliveryState | null; before?: number | null },
    limit: number,
  ): Promise<LoggedDelivery[]> {
    return this.database.query(statements.LOG, [webhookId, state, before, limit, null, keyId]);
  }

  /** A delivery of a webhook; null if there is none that the reader may see. */
  async one(webhookId: number, { keyId }: LogReader, deliveryId: number): Promise<LoggedDelivery | null> {
    const parameters = [webhookId, null, null, 1, deliveryId, keyId];
    const [delivery] = await this.database.query(statements.LOG, parameters);
    return delivery ?? null;
  }

  /** Adds a test delivery, which is sent like an event. @returns its id */
  async ping(webhookId: number): Promise<number> {
    const [delivery] = await this.database.query(statements.PING, [webhookId]);
    return delivery!.deliveryId;
  }

  /** Sends a delivery once more, from the first attempt on. @returns false if there is none */
  async redeliver(webhookId: number, deliveryId: number): Promise<boolean> {
    return (await this.database.query(statements.REDELIVER, [webhookId, deliveryId])).length > 0;
  }

  /**
   * Sends failed deliveries since a time once more. Also creates deliveries of events that the webhook did not get,
   * for example while it was disabled.
   * @returns the number of each; `until`: the time up to which events were read, if there were more than `eventsMax`;
   * otherwise null
   * @throws DatabaseUnavailable if the database fails; finished parts stay
   */
  async recover(
    { webhookId, userId }: { webhookId: number; userId: number },
    sinceSecond: number,
    matches: Matches,
    eventsMax: number,
  ): Promise<{ again: number; made: number; until: Date | null }> {
    const again = await this.database.query(statements.RECOVER, [webhookId, sinceSecond]);
    const [webhook] = await this.database.query(WEBHOOK_OF_USER, [webhookId, userId]);
    const first = await firstEvent(this.database, sinceSecond);
    let count = 0;
    if (!webhook || first === null) return { again: again.length, made: count, until: null };
    const webhooks = [{ ...webhook, eventsFromMs: 0 }];
    for (let after = first - 1, eventCount = 0; ;) {
      const query = { from: sinceSecond, before: null, after, knownIds: [], limit: PAGE_LENGTH };
      const page = await eventPage(this.database, query);
      count += await this.database.transaction((transaction) =>
        insertMatching(transaction, page, webhooks, matches),
      );
      eventCount += page.length;
      if (page.length < PAGE_LENGTH) return { again: again.length, made: count, until: null };
      if (eventCount >= eventsMax) return { again: again.length, made: count, until: page.at(-1)!.at };
      after = page.at(-1)!.factId;
    }
  }

  /** Deletes older deliveries, at most `limit`. @returns their number */
  async expire(ageSeconds: number, limit: number): Promise<number> {
    return (await this.database.query(statements.EXPIRE, [ageSeconds, limit])).length;
  }
}
