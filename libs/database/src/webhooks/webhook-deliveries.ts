import { Injectable } from '@nestjs/common';
import type { RunEvent } from '@proctor/events';
import { Database } from '../kit/database';
import type { DeliveryState } from '@proctor/contracts';
import { eventPage, firstEvent } from '../runs/run-events';
import * as statements from './webhook-delivery-statements';
import type { ClaimedWebhook, LoggedDelivery } from './webhook-delivery-statements';
import { insertMatching, type Matches, WEBHOOK_OF_USER } from './webhook-events';

/** Events that are read at a time. */
const PAGE_LENGTH = 500;

/** A delivery that is due. */
export interface DueDelivery {
  deliveryId: number;
  attempts: number;
  createdAt: Date;
  isTest: boolean;
  /** Null for a test, and where the webhook may no longer get events of the run. */
  event: RunEvent | null;
}

/** Who reads the log of a webhook of theirs. */
export interface LogReader {
  userId: number;
  /** Whose private runs are readable; null: all that the webhook gets. */
  keyId: number | null;
}

/** What came of an attempt. */
export interface DeliveryAttempt {
  deliveryId: number;
  state: DeliveryState;
  /** Until the next one. */
  retryMs: number;
  status: number | null;
  durationMs: number;
  /** The beginning of what was answered. */
  answer: string | null;
  error: string | null;
}

/** What a webhook is after an attempt. */
export interface WebhookChange {
  failures: number;
  /** How long nothing is sent to it. */
  pauseMs: number;
  disabledReason: string | null;
}

/** Which process sends, and how long no other may. */
export interface Sender {
  name: string;
  claimMs: number;
}

/** What is waiting to be sent to webhooks, and who sends it. */
@Injectable()
export class WebhookDeliveries {
  constructor(private readonly database: Database) {}

  /** A webhook for which something is due and to which no process sends; null when there is none. */
  async claim({ name, claimMs }: Sender): Promise<ClaimedWebhook | null> {
    const [claimed] = await this.database.query(statements.CLAIM, [name, claimMs]);
    return claimed ?? null;
  }

  /** Milliseconds until something is due, below 0 when it is; null when nothing waits. */
  async nextDueMs(): Promise<number | null> {
    const [next] = await this.database.query(statements.NEXT_DUE, []);
    return next!.dueMs;
  }

  /**
   * The same webhook for longer; null when it is another's, was removed or disabled, or is to be left alone.
   */
  async renew(webhookId: number, { name, claimMs }: Sender): Promise<ClaimedWebhook | null> {
    const [claimed] = await this.database.query(statements.RENEW, [name, claimMs, webhookId]);
    return claimed ?? null;
  }

  /** Others may send to it. */
  async release(webhookId: number, name: string): Promise<void> {
    await this.database.query(statements.RELEASE, [webhookId, name]);
  }

  /** What is due: of each run the first that waits. */
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

  /** Writes what came of an attempt, unless another process has claimed the webhook meanwhile. */
  async record(
    webhookId: number,
    { deliveryId, state, retryMs, ...seen }: DeliveryAttempt,
    change: WebhookChange | null,
    sender: string,
  ): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const [held] = await transaction.query(statements.LOCK_CLAIMED, [webhookId, sender]);
      if (!held) return;
      const { status, durationMs, answer, error } = seen;
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

  /** The newest first. */
  log(
    webhookId: number,
    { keyId }: LogReader,
    { state = null, before = null }: { state?: DeliveryState | null; before?: number | null },
    limit: number,
  ): Promise<LoggedDelivery[]> {
    return this.database.query(statements.LOG, [webhookId, state, before, limit, null, keyId]);
  }

  /** Null when the webhook has none of this id that the reader may know of. */
  async one(webhookId: number, { keyId }: LogReader, deliveryId: number): Promise<LoggedDelivery | null> {
    const parameters = [webhookId, null, null, 1, deliveryId, keyId];
    const [delivery] = await this.database.query(statements.LOG, parameters);
    return delivery ?? null;
  }

  /** A test, which is sent like an event. @returns its id. */
  async ping(webhookId: number): Promise<number> {
    const [made] = await this.database.query(statements.PING, [webhookId]);
    return made!.deliveryId;
  }

  /** Is sent once more, from the first attempt on. @returns whether it is there. */
  async redeliver(webhookId: number, deliveryId: number): Promise<boolean> {
    return (await this.database.query(statements.REDELIVER, [webhookId, deliveryId])).length > 0;
  }

  /**
   * Sends once more what has failed since a time. Also makes deliveries of events that the webhook did not
   * get, for example while it was disabled.
   * @returns how many of each; `until`, where it was broken off at `eventsMax` events
   * @throws DatabaseUnavailable; what was already done stays then
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
    let made = 0;
    if (!webhook || first === null) return { again: again.length, made, until: null };
    const meant = [{ ...webhook, eventsFromMs: 0 }];
    for (let after = first - 1, read = 0; ;) {
      const asked = { from: sinceSecond, before: null, after, known: [], limit: PAGE_LENGTH };
      const page = await eventPage(this.database, asked);
      made += await this.database.transaction((transaction) =>
        insertMatching(transaction, page, meant, matches),
      );
      read += page.length;
      if (page.length < PAGE_LENGTH) return { again: again.length, made, until: null };
      if (read >= eventsMax) return { again: again.length, made, until: page.at(-1)!.at };
      after = page.at(-1)!.factId;
    }
  }

  /** Deletes deliveries that are older, some at a time. @returns how many. */
  async expire(ageSeconds: number, limit: number): Promise<number> {
    return (await this.database.query(statements.EXPIRE, [ageSeconds, limit])).length;
  }
}
