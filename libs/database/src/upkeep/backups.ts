import { Injectable } from '@nestjs/common';
import { Database } from '../kit/database';
import { columnsOf } from '../kit/columns-of';
import { command, selectList, statement, time } from '../kit/statement';
import { RestoreRow } from '../rows/upkeep';

/** A restore of the database, and what is known to be missing since. */
export type RestoreRecord = RestoreRow;

/** Records of backups, and of restores from them. */
@Injectable()
export class Backups {
  constructor(private readonly database: Database) {}

  /** The moment of the newest complete backup; null if there is none. */
  async newest(): Promise<Date | null> {
    const [row] = await this.database.query(NEWEST);
    return row?.takenAt ?? null;
  }

  /** The last restore of the database; null when there was none. */
  async lastRestore(): Promise<RestoreRecord | null> {
    const [row] = await this.database.query(LAST_RESTORE);
    return row ?? null;
  }

  /** Records a complete backup. */
  async record(takenAt: Date, bytes: number): Promise<void> {
    await this.database.query(MADE, [takenAt, bytes]);
  }

  /** Records that the database was restored. */
  async recordRestore(restore: Omit<RestoreRecord, 'restoredAt'>): Promise<void> {
    const { takenAt, firstLostRun, nextRun, filesMissing } = restore;
    await this.database.query(RESTORED, [takenAt, firstLostRun, nextRun, filesMissing]);
  }
}

const NEWEST = statement(
  { takenAt: time },
  'select taken_at as "takenAt" from backups order by taken_at desc limit 1',
);

const RESTORE_COLUMNS = columnsOf(RestoreRow);

const LAST_RESTORE = statement(
  RESTORE_COLUMNS,
  `select ${selectList(RESTORE_COLUMNS, 'r')} from restores r order by r.restored_at desc limit 1`,
);

const MADE = command(`
  insert into backups (taken_at, ended_at, bytes) values ($1, clock_timestamp(), $2) on conflict (taken_at) do nothing`);

const RESTORED = command(`
  insert into restores (restored_at, taken_at, first_lost_run, next_run, files_missing)
  values (clock_timestamp(), $1, $2, $3, $4)`);
