import type { FactKind } from '@proctor/contracts';
import { WebhookDeliveryRow } from '../rows/webhook';
import { columnsOf, type WholeRow, without } from '../kit/columns-of';
import { EVENT_COLUMNS, EVENT_RUNS } from '../runs/run-events';
import {
  bigint,
  type ColumnsOf,
  command,
  double,
  integer,
  selectList,
  statement,
  text,
  texts,
} from '../kit/statement';
import { MAY_READ } from './webhook-events';

/** A webhook that one process may send to, for a limited time. */
export interface ClaimedWebhook {
  webhookId: number;
  url: string;
  /** The present secret, and the earlier one while that still signs. */
  secrets: string[];
  failures: number;
  /** Milliseconds since the first failure without a success after it; 0 if there is none. */
  failingMs: number;
}

/** A delivery as users read it. */
export interface LoggedDelivery extends Omit<WholeRow<WebhookDeliveryRow>, 'webhookId' | 'factId'> {
  /** The kind of the event; null for a test. */
  kind: FactKind | null;
}

const CLAIMED = {
  webhookId: integer,
  url: text,
  secrets: texts,
  failures: integer,
  failingMs: bigint,
} satisfies ColumnsOf<ClaimedWebhook>;

const CLAIMED_OF = `w.webhook_id as "webhookId", w.url,
    case when w.old_secret_until > clock_timestamp() then array[w.secret, w.old_secret] else array[w.secret] end as secrets,
    w.failures,
    coalesce(floor(extract(epoch from clock_timestamp() - w.failing_since) * 1000), 0)::bigint as "failingMs"`;

const UNTIL = `clock_timestamp() + make_interval(secs => $2::float8 / 1000)`;

/**
 * The condition that deliveries are sent to the webhook `w`. A webhook of a disabled user keeps its deliveries until
 * the user is enabled again.
 */
export const IS_SENT_TO = `w.disabled_at is null
      and exists (select from users u where u.user_id = w.user_id and u.disabled_at is null)`;

const SENDABLE = `${IS_SENT_TO} and (w.not_before is null or w.not_before <= clock_timestamp())`;

/** The condition that the delivery `d` is the first waiting one of its run. */
const IS_FIRST = `not exists (
        select from webhook_deliveries e
        where e.webhook_id = d.webhook_id and e.run_id = d.run_id and e.fact_id < d.fact_id and e.state = 'pending')`;

/**
 * The number of webhooks of one user to which all processes together send at a time: slow webhooks leave the places
 * of other users free.
 */
export const WEBHOOKS_OF_USER_AT_ONCE_MAX = 3;

const USER_HAS_PLACE = `(
        select count(*) from webhooks o
        where o.user_id = w.user_id and o.sender <> '' and o.sender_until >= clock_timestamp()
      ) < ${WEBHOOKS_OF_USER_AT_ONCE_MAX}`;

export const CLAIM = statement(
  CLAIMED,
  `
  update webhooks w set sender = $1, sender_until = ${UNTIL}
  where w.webhook_id = (
    select w.webhook_id from webhooks w
    where ${SENDABLE} and (w.sender_until is null or w.sender_until < clock_timestamp())
      and ${USER_HAS_PLACE}
      and exists (
        select from webhook_deliveries d
        where d.webhook_id = w.webhook_id and d.state = 'pending' and d.due_at <= clock_timestamp() and ${IS_FIRST})
    order by w.sender_until nulls first, w.webhook_id limit 1 for no key update skip locked
  )
  returning ${CLAIMED_OF}`,
);

export const NEXT_DUE = statement(
  { dueMs: double.orNull },
  `
  select (extract(epoch from min(greatest(waiting.due_at, w.not_before)) - clock_timestamp()) * 1000)::float8 as "dueMs"
  from webhooks w cross join lateral (
    select min(d.due_at) as due_at from webhook_deliveries d where d.webhook_id = w.webhook_id and d.state = 'pending'
  ) waiting
  where ${IS_SENT_TO} and waiting.due_at is not null`,
);

export const RENEW = statement(
  CLAIMED,
  `
  update webhooks w set sender_until = ${UNTIL} where w.webhook_id = $3 and w.sender = $1 and ${SENDABLE}
  returning ${CLAIMED_OF}`,
);

/** Ends a claim. Its end stays as the time of the last delivery: the webhook that was served longest ago is next. */
export const RELEASE = command(
  `update webhooks set sender = '', sender_until = clock_timestamp() where webhook_id = $1 and sender = $2`,
);

/** The first waiting delivery of each run. */
export const DUE = statement(
  columnsOf(WebhookDeliveryRow, 'deliveryId', 'attempts', 'createdAt', 'factId'),
  `
  select d.delivery_id as "deliveryId", d.attempts, d.created_at as "createdAt", d.fact_id as "factId"
  from webhook_deliveries d
  where d.webhook_id = $1 and d.state = 'pending' and d.due_at <= clock_timestamp()
    and ${IS_FIRST}
  order by d.due_at, d.delivery_id limit $2`,
);

/** The events among $2 that the webhook $1 may still get. */
export const EVENTS = statement(
  EVENT_COLUMNS,
  `
  select ${selectList(EVENT_COLUMNS, 'f')}
  from facts f ${EVENT_RUNS}
  where f.fact_id = any($2::bigint[]) and (not r.is_private or r.api_key_id = (
    select k.key_id from webhooks w join api_keys k on k.key_id = w.key_id and ${MAY_READ} where w.webhook_id = $1))`,
);

export const LOCK_CLAIMED = statement(
  { webhookId: integer },
  `select webhook_id as "webhookId" from webhooks where webhook_id = $1 and sender = $2 for no key update`,
);

/** Records an attempt. Later deliveries of the same run wait as long. */
export const RECORD = command(`
  with sent as (
    update webhook_deliveries set state = $2, attempts = attempts + 1, sent_at = clock_timestamp(),
      due_at = clock_timestamp() + make_interval(secs => $3::float8 / 1000),
      status = $4, duration_ms = $5, answer = $6, error = $7
    where delivery_id = $1 and state = 'pending'
    returning webhook_id, run_id, fact_id, state, due_at
  )
  update webhook_deliveries d set due_at = sent.due_at from sent
  where sent.state = 'pending' and d.webhook_id = sent.webhook_id and d.run_id = sent.run_id and d.fact_id > sent.fact_id
    and d.state = 'pending'`);

export const CHANGE_STANDING = command(`
  update webhooks set failures = $2,
    failing_since = case when $2 > 0 then coalesce(failing_since, clock_timestamp()) end,
    not_before = case when $3::float8 > 0 then clock_timestamp() + make_interval(secs => $3::float8 / 1000) end,
    disabled_at = case when $4::text is not null then clock_timestamp() end, disabled_reason = $4
  where webhook_id = $1 and disabled_at is null`);

const LOGGED = {
  ...without(columnsOf(WebhookDeliveryRow), 'webhookId', 'factId'),
  kind: text.as<FactKind>().orNull.from('f.kind'),
} satisfies ColumnsOf<LoggedDelivery>;

/** The log of a webhook. If the key $6 is not null: only test deliveries, and those of runs that this key may see. */
export const LOG = statement(
  LOGGED,
  `
  select ${selectList(LOGGED, 'd')}
  from webhook_deliveries d left join facts f on f.fact_id = d.fact_id
  where d.webhook_id = $1 and ($2::text is null or d.state = $2) and ($3::bigint is null or d.delivery_id < $3)
    and ($5::bigint is null or d.delivery_id = $5)
    and ($6::integer is null or d.run_id is null
      or exists (select from runs r where r.run_id = d.run_id and (not r.is_private or r.api_key_id = $6)))
  order by d.delivery_id desc limit $4`,
);

const DELIVERY_ID = { deliveryId: bigint };

export const PING = statement(
  DELIVERY_ID,
  `
  insert into webhook_deliveries (webhook_id, created_at, due_at) values ($1, clock_timestamp(), clock_timestamp())
  returning delivery_id as "deliveryId"`,
);

const AGAIN = `state = 'pending', attempts = 0, due_at = clock_timestamp()`;

export const REDELIVER = statement(
  DELIVERY_ID,
  `
  update webhook_deliveries set ${AGAIN} where webhook_id = $1 and delivery_id = $2
  returning delivery_id as "deliveryId"`,
);

export const RECOVER = statement(
  DELIVERY_ID,
  `
  update webhook_deliveries set ${AGAIN}
  where webhook_id = $1 and state = 'failed' and created_at >= to_timestamp($2)
  returning delivery_id as "deliveryId"`,
);

export const EXPIRE = statement(
  DELIVERY_ID,
  `
  with old as (
    select delivery_id from webhook_deliveries
    where created_at < clock_timestamp() - make_interval(secs => $1::float8) and state <> 'pending'
    order by created_at limit $2 for update skip locked
  )
  delete from webhook_deliveries d using old where d.delivery_id = old.delivery_id
  returning d.delivery_id as "deliveryId"`,
);
