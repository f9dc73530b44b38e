import { Injectable } from '@nestjs/common';
import type { Ownership, OwnershipRegister } from '@proctor/dispatch';
import { Database } from '../kit/database';
import { DECISIONS_LOCK } from './decision-statements';
import { UP_SINCE } from '../kit/servers';
import { bigint, boolean, command, statement, text, texts } from '../kit/statement';
import { IN_FORCE } from './turn-statements';

/** The ownership register in PostgreSQL. All times are from PostgreSQL's clock: the clocks of schedulers may differ. */
@Injectable()
export class PostgresOwnershipRegister implements OwnershipRegister {
  constructor(private readonly database: Database) {}

  async reportAlive(scheduler: string, ttlMs: number): Promise<string[]> {
    const [state] = await this.database.query(ANNOUNCE, [scheduler, ttlMs]);
    const { others, areLasting, areDead } = state!;
    if (areLasting) await this.database.query(SHORTEN, [ttlMs]);
    if (areDead) await this.database.query(BURY);
    return [scheduler, ...others].sort();
  }

  async claim(arch: string, scheduler: string, ttlMs: number): Promise<Ownership | null> {
    const parameters = [arch, scheduler, ttlMs];
    const [renewal] = await this.database.query(RENEW, parameters);
    const [claim] = renewal ? [renewal] : await this.database.query(TAKE, parameters);
    return claim ? { arch, epoch: claim.epoch } : null;
  }

  async release(arch: string, scheduler: string): Promise<void> {
    await this.database.query(RELEASE, [arch, scheduler]);
  }

  async stepAside(scheduler: string, ttlMs: number): Promise<string[]> {
    await this.database.query(SHORTEN, [ttlMs]);
    const alive = await this.database.query(STEP_ASIDE, [scheduler]);
    return alive.map((row) => row.scheduler).sort();
  }

  async withdraw(scheduler: string): Promise<void> {
    await this.database.query(WITHDRAW, [scheduler]);
  }
}

/**
 * The SQL condition that a row expires much later than a time-to-live from now: it was written before PostgreSQL's
 * clock was set back.
 */
const LASTING = (ttl: string): string =>
  `expires_at > clock_timestamp() + 2 * ${ttl} * interval '1 millisecond'`;

/**
 * Announces a scheduler and checks whether SHORTEN and BURY have anything to do: otherwise those would be most of the
 * statements of an idle deployment.
 */
const ANNOUNCE = statement(
  { others: texts, areLasting: boolean, areDead: boolean },
  `
  with announced as (
    insert into schedulers (scheduler, expires_at) values ($1, clock_timestamp() + $2 * interval '1 millisecond')
    on conflict (scheduler) do update set expires_at = excluded.expires_at
  )
  select coalesce(array_agg(scheduler) filter (where expires_at > clock_timestamp()), '{}') as others,
    coalesce(bool_or(${LASTING('$2')}), false) or exists (select from dispatchers where ${LASTING('$2')}) as "areLasting",
    coalesce(bool_or(expires_at <= clock_timestamp()), false) as "areDead"
  from schedulers where scheduler <> $1`,
);

/**
 * Rows that expire too late now expire after one time-to-live; live owners renew them before. Waits for no lock, as
 * BURY.
 */
const SHORTEN = command(`
  with shorter as (
    update schedulers set expires_at = clock_timestamp() + $1 * interval '1 millisecond'
    where scheduler in (
      select scheduler from schedulers where ${LASTING('$1')}
      for update skip locked)
  )
  update dispatchers set expires_at = clock_timestamp() + $1 * interval '1 millisecond'
  where arch in (
    select arch from dispatchers where ${LASTING('$1')}
    for no key update skip locked)`);

/**
 * Deletes schedulers that have expired. A separate statement that waits for no lock: two schedulers that return at
 * the same time and each delete the other before they announce themselves would wait for each other.
 */
const BURY = command(`
  delete from schedulers where scheduler in (
    select scheduler from schedulers where expires_at <= clock_timestamp() for update skip locked)`);

const EXPIRES_AT = `clock_timestamp() + $3 * interval '1 millisecond'`;

/**
 * Renews an ownership. It changes no key, so it does not wait for a dispatcher's turn (see EPOCH in
 * turn-statements.ts). TAKE cannot do this: ON CONFLICT locks the row as if every named column were changed.
 */
const RENEW = statement(
  { epoch: bigint },
  `
  update dispatchers set expires_at = ${EXPIRES_AT}
  where arch = $1 and owner = $2 and ${IN_FORCE}
  returning epoch`,
);

/**
 * A new epoch is PostgreSQL's time in milliseconds. It is higher than all earlier epochs, even if the database was
 * restored to an earlier moment or replaced by a copy that had not received everything.
 */
const NEW_EPOCH = `floor(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** The epoch while the clock is behind: two copies of a database hardly choose the same. */
const HIGHER_EPOCH = `d.epoch + 1 + floor(random() * 1000)::bigint`;

/**
 * Begins an ownership. A decision about all architectures finds the row, or is in effect when the first dispatcher
 * loads.
 */
const TAKE = statement(
  { epoch: bigint },
  `
  insert into dispatchers as d (arch, epoch, owner, expires_at, server_started_at)
  select $1::text, ${NEW_EPOCH}, $2::text, ${EXPIRES_AT}, ${UP_SINCE}
  from (select pg_advisory_xact_lock_shared(${DECISIONS_LOCK})) as undisturbed
  on conflict (arch) do update
    set epoch = greatest(${HIGHER_EPOCH}, ${NEW_EPOCH}), owner = excluded.owner, expires_at = ${EXPIRES_AT},
      server_started_at = excluded.server_started_at
  where d.owner is null or d.expires_at <= clock_timestamp()
    or d.server_started_at is distinct from excluded.server_started_at
  returning epoch`,
);

const RELEASE = command('update dispatchers set owner = null where arch = $1 and owner = $2');

const STEP_ASIDE = statement(
  { scheduler: text },
  `
  with gone as (delete from schedulers where scheduler = $1)
  select scheduler from schedulers where expires_at > clock_timestamp() and scheduler <> $1`,
);

const WITHDRAW = command(`
  with gone as (delete from schedulers where scheduler = $1)
  update dispatchers set owner = null where owner = $1`);
