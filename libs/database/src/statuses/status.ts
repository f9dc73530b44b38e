import type { PackageVerdict } from '@proctor/contracts';
import { RECORD_COLUMNS, type RunRecord } from '../runs/run-columns';
import { type RowOf, text, time } from '../kit/statement';

/** A run that says how its package is, with what was before it on the same suite and architecture. */
export interface StatusRecord extends RunRecord {
  /** Of the run before; null the first time. */
  previousStatus: PackageVerdict | null;
  /** The newest run, up to this one, that passed or had nothing to test; null when there is none. */
  lastPass: { version: string; date: Date } | null;
}

/** Which packages are asked for. */
export interface StatusPart {
  /** Those whose names come after it. */
  after?: string;
  limit?: number;
  verdicts?: PackageVerdict[];
}

/** Identifies the state of all packages of a suite and architecture: different states differ in the first three. */
export interface StatusVersion {
  /** Null while there is no run. */
  newestUpdate: Date | null;
  /** Runs written about the same time. */
  latelyUpdated: number;
  /** Packages of all that were removed: they have no status. */
  removed: number;
  /** `YYYY-MM-DD`, UTC: the history goes up to it. */
  today: string;
}

/** How many packages are in each status. */
export interface StatusCounts extends Record<PackageVerdict, number> {
  total: number;
  /** The newest end of a run that is counted; null when there is none. */
  date: Date | null;
}

/** The same at the end of a day, UTC; today's is as of now. */
export interface DayCounts extends Record<PackageVerdict, number> {
  total: number;
  /** The day's first moment. */
  date: Date;
}

/** A run `r`, a run `before` and a run `pass`; the statements that select a StatusRecord have these columns. */
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
