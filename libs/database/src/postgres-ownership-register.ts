import { Injectable } from '@nestjs/common';
import type { Ownership, OwnershipRegister } from '@proctor/dispatch';
import { Database } from './database';

/** Every time here is PostgreSQL's: schedulers' clocks may differ. */
@Injectable()
export class PostgresOwnershipRegister implements OwnershipRegister {
  constructor(private readonly database: Database) {}

  async announce(scheduler: string, ttlMs: number): Promise<string[]> {
    await this.database.query(ANNOUNCE, [scheduler, ttlMs]);
    await this.database.query(BURY);
    const alive = await this.database.query<{ scheduler: string }>(ALIVE, [scheduler]);
    return alive.map((row) => row.scheduler).sort();
  }

  async claim(arch: string, scheduler: string, ttlMs: number): Promise<Ownership | null> {
    const [claimed] = await this.database.query<{ epoch: number }>(CLAIM, [arch, scheduler, ttlMs]);
    return claimed ? { arch, epoch: claimed.epoch } : null;
  }

  async release(arch: string, scheduler: string): Promise<void> {
    await this.database.query('update dispatchers set owner = null where arch = $1 and owner = $2', [
      arch,
      scheduler,
    ]);
  }

  async withdraw(scheduler: string): Promise<void> {
    await this.database.query(WITHDRAW, [scheduler]);
  }
}

const ANNOUNCE = `
  insert into schedulers (scheduler, expires_at) values ($1, clock_timestamp() + $2 * interval '1 millisecond')
  on conflict (scheduler) do update set expires_at = excluded.expires_at`;

/**
 * A statement of its own that waits for no lock: two schedulers that come back at once and each bury the other before
 * they announce themselves would wait for each other.
 */
const BURY = `
  delete from schedulers where scheduler in (
    select scheduler from schedulers where expires_at <= clock_timestamp() for update skip locked)`;

const ALIVE = 'select scheduler from schedulers where expires_at > clock_timestamp() or scheduler = $1';

/** Only the renewal of an ownership that has not run out keeps the epoch. */
const CLAIM = `
  insert into dispatchers as d (arch, epoch, owner, expires_at)
  values ($1, 1, $2, clock_timestamp() + $3 * interval '1 millisecond')
  on conflict (arch) do update set
    epoch = case when d.owner = $2 and d.expires_at > clock_timestamp() then d.epoch else d.epoch + 1 end,
    owner = $2,
    expires_at = clock_timestamp() + $3 * interval '1 millisecond'
  where d.owner is null or d.owner = $2 or d.expires_at <= clock_timestamp()
  returning epoch`;

const WITHDRAW = `
  with gone as (delete from schedulers where scheduler = $1)
  update dispatchers set owner = null where owner = $1`;
