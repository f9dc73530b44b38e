import { Injectable } from '@nestjs/common';
import { type Actor, audit } from '../people/audit-log';
import { Database } from '../kit/database';
import { columnsOf } from '../kit/columns-of';
import { type ColumnsOf, command, integer, selectList, statement, text, time } from '../kit/statement';
import { WebhookRow } from '../rows/webhook';

export const DISABLED_BY_USER = 'disabled by its user';

/** The settings of a webhook that users choose. */
export type WebhookSettings = Pick<WebhookRow, 'url' | 'description' | 'filter' | 'keyId'>;

/** A webhook: an address of a user that events are sent to. */
export interface Webhook extends Pick<WebhookRow, (typeof SHOWN)[number]> {
  /** The name of the user. */
  userName: string;
  /** The time until which the earlier secret also signs. */
  oldSecretUntil: Date | null;
  /** The number of events that wait to be sent. */
  waiting: number;
}

const SHOWN = [
  ...(['webhookId', 'userId', 'url', 'description', 'filter', 'keyId', 'createdAt'] as const),
  ...(['disabledAt', 'disabledReason', 'failures', 'failingSince'] as const),
] as const;

/** The user who changes a webhook. */
export type WebhookOwner = Actor & { userId: number };

/** The limit of a count: a larger number would not help its reader. */
const WAITING_COUNTED_MAX = 10_000;

/** The webhooks of users. */
@Injectable()
export class Webhooks {
  constructor(private readonly database: Database) {}

  /** The webhooks of a user, oldest first. */
  ofUser(userId: number): Promise<Webhook[]> {
    return this.database.query(OF_USER, [userId, null]);
  }

  /** A webhook of a user; null if there is none, or another user has it. */
  async one(webhookId: number, userId: number): Promise<Webhook | null> {
    const [webhook] = await this.database.query(OF_USER, [userId, webhookId]);
    return webhook ?? null;
  }

  /**
   * Adds a webhook.
   * @param max the number of webhooks that one user may have
   * @returns its id; null if there are too many
   */
  add(settings: WebhookSettings, secret: string, by: WebhookOwner, max: number): Promise<number | null> {
    return this.database.transaction(async (transaction) => {
      await transaction.query(LOCK_USER, [by.userId]);
      const [count] = await transaction.query(COUNT, [by.userId]);
      if (count!.webhooks >= max) return null;
      const values = [settings.url, settings.description, JSON.stringify(settings.filter), settings.keyId];
      const [added] = await transaction.query(ADD, [by.userId, ...values, secret]);
      await audit(transaction, by, {
        action: 'webhook-added',
        subject: subjectOf(added!.webhookId),
        detail: settings.url,
      });
      return added!.webhookId;
    });
  }

  /** Changes a webhook. @param isEnabled whether it is enabled from now on @returns false if there is none */
  change(
    webhookId: number,
    settings: WebhookSettings,
    isEnabled: boolean,
    by: WebhookOwner,
  ): Promise<boolean> {
    const values = [settings.url, settings.description, JSON.stringify(settings.filter), settings.keyId];
    return this.runChange(CHANGE, [webhookId, by.userId, ...values, isEnabled], {
      by,
      action: 'webhook-changed',
      subject: subjectOf(webhookId),
      detail: `${settings.url}${isEnabled ? '' : ', disabled'}`,
    });
  }

  /** Replaces the secret; the earlier secret also signs for `oldSeconds`. @returns false if there is no such webhook */
  rotate(webhookId: number, secret: string, oldSeconds: number, by: WebhookOwner): Promise<boolean> {
    return this.runChange(ROTATE, [webhookId, by.userId, secret, oldSeconds], {
      by,
      action: 'webhook-rotated',
      subject: subjectOf(webhookId),
    });
  }

  /** Removes a webhook with its deliveries. @returns false if there is none */
  remove(webhookId: number, by: WebhookOwner): Promise<boolean> {
    return this.runChange(REMOVE, [webhookId, by.userId], {
      by,
      action: 'webhook-removed',
      subject: subjectOf(webhookId),
    });
  }

  private runChange(
    change: typeof REMOVE,
    parameters: unknown[],
    { by, ...entry }: { by: WebhookOwner } & Parameters<typeof audit>[2],
  ): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const runChange = await transaction.query(change, parameters);
      if (runChange.length > 0) await audit(transaction, by, entry);
      return runChange.length > 0;
    });
  }
}

function subjectOf(webhookId: number): string {
  return `webhook ${webhookId}`;
}

const WEBHOOK_COLUMNS = {
  ...columnsOf(WebhookRow, ...SHOWN),
  userName: text.from('u.name'),
  oldSecretUntil: time.orNull.from(
    'case when w.old_secret_until > clock_timestamp() then w.old_secret_until end',
  ),
  waiting: integer.from(`(select count(*) from (
      select from webhook_deliveries d where d.webhook_id = w.webhook_id and d.state = 'pending' limit ${WAITING_COUNTED_MAX}
    ) counted)::integer`),
} satisfies ColumnsOf<Webhook>;

const OF_USER = statement(
  WEBHOOK_COLUMNS,
  `
  select ${selectList(WEBHOOK_COLUMNS, 'w')}
  from webhooks w join users u using (user_id)
  where w.user_id = $1 and ($2::integer is null or w.webhook_id = $2) order by w.webhook_id`,
);

/** Locks the user: the second of two simultaneous requests counts the webhook of the first. */
const LOCK_USER = command('select from users where user_id = $1 for no key update');

const COUNT = statement(
  { webhooks: integer },
  'select count(*)::integer as webhooks from webhooks where user_id = $1',
);

const ID = { webhookId: integer };

const ADD = statement(
  ID,
  `
  insert into webhooks (user_id, url, description, filter, key_id, secret, created_at, told_from)
  values ($1, $2, $3, $4, $5, $6, clock_timestamp(), clock_timestamp()) returning webhook_id as "webhookId"`,
);

/** Changes a webhook. If it is enabled again, its failures are reset and it gets only new events. */
const CHANGE = statement(
  ID,
  `
  update webhooks set url = $3, description = $4, filter = $5, key_id = $6,
    disabled_at = case when not $7::boolean then coalesce(disabled_at, clock_timestamp()) end,
    disabled_reason = case when not $7::boolean then coalesce(disabled_reason, '${DISABLED_BY_USER}') end,
    told_from = case when disabled_at is null or not $7::boolean then told_from else clock_timestamp() end,
    failures = case when disabled_at is null or not $7::boolean then failures else 0 end,
    failing_since = case when disabled_at is null or not $7::boolean then failing_since end,
    not_before = case when disabled_at is null or not $7::boolean then not_before end
  where webhook_id = $1 and user_id = $2 returning webhook_id as "webhookId"`,
);

const ROTATE = statement(
  ID,
  `
  update webhooks set secret = $3, old_secret = secret,
    old_secret_until = clock_timestamp() + make_interval(secs => $4::float8)
  where webhook_id = $1 and user_id = $2 returning webhook_id as "webhookId"`,
);

const REMOVE = statement(
  ID,
  'delete from webhooks where webhook_id = $1 and user_id = $2 returning webhook_id as "webhookId"',
);
