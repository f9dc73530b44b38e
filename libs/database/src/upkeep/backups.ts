import { Injectable } from '@nestjs/common';
import { Database } from '../kit/database';
import { bigint, type ColumnsOf, command, integer, statement, time } from '../kit/statement';

/** That the database was restored, and what is known to be missing since. */
export interface RestoreRecord {
  restoredAt: Date;
  /** What was written after this moment is gone. */
  takenAt: Date;
  /** Ids of runs from this one on, and below `nextRun`, were given out before, or never. */
  firstLostRun: number;
  nextRun: number;
  /** Runs whose files the backup did not have. */
  filesMissing: number;
}

/** What is known of backups, and of restores from them. */
@Injectable()
export class Backups {
  constructor(private readonly database: Database) {}

  /** The moment of the newest backup that is complete; null when there was none. */
  async newest(): Promise<Date | null> {
    const [row] = await this.database.query(NEWEST);
    return row?.takenAt ?? null;
  }

  /** The database was restored last; null when it never was. */
  async lastRestore(): Promise<RestoreRecord | null> {
    const [row] = await this.database.query(LAST_RESTORE);
    return row ?? null;
  }

  /** A backup is complete. */
  async made(takenAt: Date, bytes: number): Promise<void> {
    await this.database.query(MADE, [takenAt, bytes]);
  }

  /** The database was restored. */
  async restored(restore: Omit<RestoreRecord, 'restoredAt'>): Promise<void> {
    const { takenAt, firstLostRun, nextRun, filesMissing } = restore;
    await this.database.query(RESTORED, [takenAt, firstLostRun, nextRun, filesMissing]);
  }
}

const NEWEST = statement(
  { takenAt: time },
  'select taken_at as "takenAt" from backups order by taken_at desc limit 1',
);

const LAST_RESTORE = statement(
  {
    restoredAt: time,
    takenAt: time,
    firstLostRun: bigint,
    nextRun: bigint,
    filesMissing: integer,
  } satisfies ColumnsOf<RestoreRecord>,
  `
  select restored_at as "restoredAt", taken_at as "takenAt", first_lost_run as "firstLostRun", next_run as "nextRun",
    files_missing as "filesMissing"
  from restores order by restored_at desc limit 1`,
);

const MADE = command(`
  insert into backups (taken_at, ended_at, bytes) values ($1, clock_timestamp(), $2) on conflict (taken_at) do nothing`);

const RESTORED = command(`
  insert into restores (restored_at, taken_at, first_lost_run, next_run, files_missing)
  values (clock_timestamp(), $1, $2, $3, $4)`);
