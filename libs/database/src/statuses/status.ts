import type { PackageVerdict } from '@proctor/contracts';
import { RECORD_COLUMNS, type RunRecord } from '../runs/run-columns';
import { type RowOf, text, time } from '../kit/statement';

/** A run that counts for the status of its package, with earlier results on the same suite and architecture. */
export interface StatusRecord extends RunRecord {
  /** The verdict of the run before; null for the first run. */
  previousStatus: PackageVerdict | null;
  /** The newest run, up to this one, that passed or had nothing to test; null if there is none. */
  lastPass: { version: string; date: Date } | null;
}

/** The part of the packages to read. */
export interface StatusPart {
  /** Only packages whose names come after this one. */
  after?: string;
  limit?: number;
  verdicts?: PackageVerdict[];
}

/** Identifies the state of all packages of a suite and architecture: different states differ in the first three. */
export interface StatusVersion {
  /** Null while there is no run. */
  newestUpdate: Date | null;
  /** The number of runs that were written about the same time. */
  latelyUpdated: number;
  /** The number of removed packages: they have no status. */
  removed: number;
  /** `YYYY-MM-DD`, UTC: the last day of the history. */
  today: string;
}

/** The number of packages in each status. */
export interface StatusCounts extends Record<PackageVerdict, number> {
  total: number;
  /** The newest end of a counted run; null if there is none. */
  date: Date | null;
}

/** The number of packages in each status at the end of a day, UTC; today's is as of now. */
export interface DayCounts extends Record<PackageVerdict, number> {
  total: number;
  /** The day's first moment. */
  date: Date;
}

/** The columns of a StatusRecord, from the runs `r`, `before` and `pass`. */
export const STATUS_COLUMNS = {
  ...RECORD_COLUMNS,
  previousStatus: text.as<PackageVerdict>().orNull.from('before.verdict'),
  lastPassVersion: text.orNull.from('pass.version'),
  lastPassAt: time.orNull.from('pass.finished_at'),
};

export function statusRecord({
  lastPassVersion: version,
  lastPassAt: date,
  ...row
}: RowOf<typeof STATUS_COLUMNS>): StatusRecord {
  return { ...row, lastPass: version !== null && date !== null ? { version, date } : null };
}
