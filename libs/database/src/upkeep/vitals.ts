import { Injectable } from '@nestjs/common';
import { Database, type PoolUse } from '../kit/database';
import { MIGRATIONS } from '../schema/migrations';
import { bigint, type ColumnsOf, double, statement, text, time } from '../kit/statement';
import { IS_SENT_TO } from '../webhooks/webhook-delivery-statements';
import { DISABLED_BY_USER } from '../webhooks/webhooks';

/** The health of the service, from the rows and the server. */
interface DatabaseVitals {
  /** The number of facts that the bus has not received; at most FACTS_COUNTED_MAX are counted. */
  factsUnpublished: number;
  /** The age of the oldest transaction of this database; 0: there is none. */
  oldestTransactionSeconds: number;
  /** The age of the newest backup; null: there is none. */
  backupAgeSeconds: number | null;
  /** The number of waiting deliveries of enabled webhooks; at most DELIVERIES_COUNTED_MAX are counted. */
  webhooksPending: number;
  /** How long the oldest sendable delivery has waited, of webhooks without failures; 0: none waits. */
  webhooksOldestSeconds: number;
  /** The number of webhooks that the service has disabled, not their users. */
  webhooksDisabled: number;
}

/** The server that the stores are on. */
interface DatabaseServer {
  /** The version for people, such as `18.4`. */
  version: string;
  /** The time of its clock when it answered. */
  at: Date;
  /** The duration of the answer. */
  tookMs: number;
}

/** Migrations by name. */
interface SchemaState {
  /** Migrations that `proctor migrate` would run. */
  pending: string[];
  /** Migrations of a later version. */
  unknown: string[];
}

/** A larger exact count would cost more than it is worth. */
const FACTS_COUNTED_MAX = 10_000;

const DELIVERIES_COUNTED_MAX = 10_000;

/** The health of the database, for monitors. */
@Injectable()
export class Vitals {
  constructor(private readonly database: Database) {}

  async read(): Promise<DatabaseVitals> {
    const [vitals] = await this.database.query(VITALS);
    return vitals!;
  }

  /** The use of the pool, without a query. */
  poolUse(): PoolUse {
    return this.database.poolUse();
  }

  /** The differences between the schema and the one of this build. */
  async schema(): Promise<SchemaState> {
    const names = MIGRATIONS.map(({ name }) => name);
    const appliedNames = (await this.database.query(DONE)).map(({ name }) => name);
    return {
      pending: names.filter((name) => !appliedNames.includes(name)),
      unknown: appliedNames.filter((name) => !names.includes(name)),
    };
  }

  /** The architectures that a scheduler owns now. */
  async ownedArchitectures(): Promise<string[]> {
    return (await this.database.query(OWNED)).map(({ arch }) => arch);
  }

  async server(): Promise<DatabaseServer> {
    const from = performance.now();
    const [server] = await this.database.query(SERVER);
    return { ...server!, tookMs: performance.now() - from };
  }
}

const VITALS = statement(
  {
    factsUnpublished: bigint,
    oldestTransactionSeconds: double,
    backupAgeSeconds: double.orNull,
    webhooksPending: bigint,
    webhooksOldestSeconds: double,
    webhooksDisabled: bigint,
  } satisfies ColumnsOf<DatabaseVitals>,
  `select
    (select count(*) from (select 1 from facts where not published limit ${FACTS_COUNTED_MAX}) f) as "factsUnpublished",
    coalesce((
      select extract(epoch from clock_timestamp() - min(xact_start)) from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
    ), 0)::float8 as "oldestTransactionSeconds",
    (select extract(epoch from clock_timestamp() - max(taken_at)) from backups)::float8 as "backupAgeSeconds",
    (select count(*) from (
      select 1 from webhooks w join webhook_deliveries d using (webhook_id)
      where ${IS_SENT_TO} and d.state = 'pending' limit ${DELIVERIES_COUNTED_MAX}
    ) pending) as "webhooksPending",
    coalesce((
      select max(extract(epoch from clock_timestamp() - oldest.due_at)) from webhooks w cross join lateral (
        select due_at from webhook_deliveries d
        where d.webhook_id = w.webhook_id and d.state = 'pending' and d.due_at <= clock_timestamp()
        order by d.due_at limit 1
      ) oldest
      where ${IS_SENT_TO} and w.failures = 0
    ), 0)::float8 as "webhooksOldestSeconds",
    (
      select count(*) from webhooks where disabled_at is not null and disabled_reason <> '${DISABLED_BY_USER}'
    ) as "webhooksDisabled"`,
);

const SERVER = statement(
  { version: text, at: time },
  `select current_setting('server_version') as version, clock_timestamp() as at`,
);

const OWNED = statement(
  { arch: text },
  `select arch::text as arch from dispatchers where owner is not null and expires_at > clock_timestamp()`,
);

const DONE = statement({ name: text }, `select name::text as name from migrations order by id`);
