import { Injectable } from '@nestjs/common';
import type { RunEvent } from '@proctor/events';
import { Database, type Statements } from '../kit/database';
import { horizon, raiseHorizon } from '../kit/horizon';
import { eventPage, firstEvent } from '../runs/run-events';
import { bigint, boolean, command, integer, jsonb, statement, text } from '../kit/statement';
import type { WebhookFilter } from '../rows/webhook';

/** The data that decides which events a webhook gets. */
export interface MatchedWebhook {
  webhookId: number;
  /** The name of its user. */
  userName: string;
  /** The key whose private runs it gets; null also if the key may no longer read them. */
  keyId: number | null;
  filter: WebhookFilter;
  /** The time since when it is enabled, UNIX milliseconds. */
  eventsFromMs: number;
}

/** Whether a webhook gets an event. */
export type Matches = (webhook: MatchedWebhook, event: RunEvent) => boolean;

/** The range of events whose deliveries are created in one transaction. */
const SECONDS_MAX = 60;
const PAGE_LENGTH = 500;

/**
 * Creates the deliveries of events. The same transaction moves the second up to which all are created, and only
 * events below the horizon are read. No events are added below it, so each gets its deliveries once, even if this is
 * interrupted.
 */
@Injectable()
export class WebhookEvents {
  constructor(private readonly database: Database) {}

  /**
   * @param waitingMax a webhook with more waiting deliveries is disabled
   * @returns the number of new deliveries, and whether there is more to do at once; null if another process does it,
   * or there is no webhook
   */
  async step(matches: Matches, waitingMax: number): Promise<{ made: number; hasMore: boolean } | null> {
    const [row] = await this.database.query(IS_WANTED);
    if (!row!.isWanted) return null;
    const step = await this.database.transaction(async (transaction) => {
      const [progress] = await transaction.query(PROGRESS);
      if (!progress) return null;
      const currentHorizon = await horizon(transaction);
      const webhooks = await transaction.query(WEBHOOKS);
      // A webhook gets no events from before it was enabled.
      const oldest = Math.min(...webhooks.map(({ eventsFromMs }) => Math.floor(eventsFromMs / 1_000)));
      const from = Math.max(progress.second, Math.min(oldest, currentHorizon.second));
      const next = await this.next(transaction, from);
      const end = Math.min(currentHorizon.second, (next?.second ?? currentHorizon.second) + SECONDS_MAX);
      const count =
        next && webhooks.length > 0
          ? await this.createDeliveries(
              transaction,
              { from, before: end, first: next.first },
              { webhooks, matches },
            )
          : 0;
      if (count > 0) await transaction.query(DISABLE_FULL, [waitingMax]);
      if (end > progress.second) await transaction.query(MOVE, [end]);
      // The next step creates deliveries for events beyond the horizon.
      return {
        made: count,
        hasMore: end < currentHorizon.second,
        mustRaise: next !== null && currentHorizon.canRise,
      };
    });
    if (step?.mustRaise) await raiseHorizon(this.database);
    return step && { made: step.made, hasMore: step.hasMore };
  }

  /** The time and the id of the first event from a second on; null if there is none. */
  private async next(
    transaction: Statements,
    from: number,
  ): Promise<{ second: number; first: number } | null> {
    const [next] = await transaction.query(NEXT, [from]);
    const first = next!.second === null ? null : await firstEvent(transaction, from);
    return first === null ? null : { second: next!.second!, first };
  }

  private async createDeliveries(
    transaction: Statements,
    { from, before, first }: { from: number; before: number; first: number },
    { webhooks, matches }: { webhooks: MatchedWebhook[]; matches: Matches },
  ): Promise<number> {
    let count = 0;
    for (let after = first - 1; ;) {
      const page = await eventPage(transaction, { from, before, after, knownIds: [], limit: PAGE_LENGTH });
      count += await insertMatching(transaction, page, webhooks, matches);
      if (page.length < PAGE_LENGTH) return count;
      after = page.at(-1)!.factId;
    }
  }
}

/** Creates the deliveries of events that match. @returns the number of new ones */
export async function insertMatching(
  transaction: Statements,
  events: RunEvent[],
  webhooks: MatchedWebhook[],
  matches: Matches,
): Promise<number> {
  const deliveries = events.flatMap((event) =>
    webhooks.filter((webhook) => matches(webhook, event)).map(({ webhookId }) => ({ ...event, webhookId })),
  );
  if (deliveries.length === 0) return 0;
  const rows = await transaction.query(INSERT, [
    deliveries.map(({ webhookId }) => webhookId),
    deliveries.map(({ factId }) => factId),
    deliveries.map(({ runId }) => runId),
  ]);
  return rows.length;
}

const IS_WANTED = statement(
  { isWanted: boolean },
  'select exists (select from webhooks where disabled_at is null) as "isWanted"',
).asPrepared;

const PROGRESS = statement(
  { second: bigint },
  'select second from webhook_progress for no key update skip locked',
);

const NEXT = statement(
  { second: bigint.orNull },
  'select floor(extract(epoch from min(at)))::bigint as second from facts where at >= to_timestamp($1)',
);

const MOVE = command('update webhook_progress set second = $1');

/** The condition that a key `k` may read the results of its runs. */
export const MAY_READ = `k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp()) and k.scope <> 'submit'`;

const MATCHED_COLUMNS = `w.webhook_id as "webhookId", u.name as "userName", k.key_id as "keyId", w.filter,
    floor(extract(epoch from w.told_from) * 1000)::bigint as "eventsFromMs"
  from webhooks w join users u on u.user_id = w.user_id
  left join api_keys k on k.key_id = w.key_id and ${MAY_READ}`;

const MATCHED = {
  webhookId: integer,
  userName: text,
  keyId: integer.orNull,
  filter: jsonb.as<WebhookFilter>(),
  eventsFromMs: bigint,
};

const WEBHOOKS = statement(
  MATCHED,
  `select ${MATCHED_COLUMNS} where w.disabled_at is null and u.disabled_at is null order by w.webhook_id`,
);

export const WEBHOOK_OF_USER = statement(
  MATCHED,
  `select ${MATCHED_COLUMNS} where w.webhook_id = $1 and w.user_id = $2`,
);

const INSERT = statement(
  { deliveryId: bigint },
  `
  insert into webhook_deliveries (webhook_id, fact_id, run_id, created_at, due_at)
  select webhook_id, fact_id, run_id, clock_timestamp(), clock_timestamp()
  from unnest($1::integer[], $2::bigint[], $3::bigint[]) as made(webhook_id, fact_id, run_id)
  on conflict on constraint webhook_deliveries_event_key do nothing
  returning delivery_id as "deliveryId"`,
);

const DISABLE_FULL = command(`
  update webhooks w set disabled_at = clock_timestamp(),
    disabled_reason = 'more than ' || $1::integer || ' events were waiting to be sent'
  where disabled_at is null and (select count(*) from (
    select from webhook_deliveries d where d.webhook_id = w.webhook_id and d.state = 'pending' limit $1::integer + 1
  ) waiting) > $1::integer`);
