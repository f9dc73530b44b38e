import type { PackageVerdict } from '@proctor/contracts';
import { type StripEntry, stripEntries } from './package-status';
import { columnsOf, without } from '../kit/columns-of';
import { type RowOf, selectList, statement } from '../kit/statement';
import { PackageStatusRow } from '../rows/package-status';

/** A run of a PackageStatus. */
interface StatusRun {
  runId: number;
  /** `n/a` where it is not known. */
  version: string;
  /** When it ended. */
  date: Date;
}

/**
 * How a package is on one suite and architecture. It follows the end or publication of a run by about a
 * second; see `StatusProjection`. The runs that count for it are public, without pins and extra sources, not
 * cancelled.
 */
export interface PackageStatus {
  package: string;
  suite: string;
  arch: string;
  /** The newest run that counts. */
  latest: StatusRun & { verdict: PackageVerdict };
  /** Of the run before; null the first time. */
  previousVerdict: PackageVerdict | null;
  /** The newest run that passed or had nothing to test; null when there is none. */
  lastPass: StatusRun | null;
  /** While it fails: the first run that failed since it last passed, a tmpfail is none; else null. */
  failingSince: (StatusRun & { trigger: string | null }) | null;
  /** While it does not fail: the first run that passed after the newest failure; else null, also when none ever failed. */
  recovered: (StatusRun & { trigger: string | null }) | null;
  /** The last 30 public runs, pinned ones too, cancelled ones not; oldest first. */
  strip: StripEntry[];
  /**
   * Changes between pass and fail among the last 30 runs that count and are no tmpfail, within a version, as
   * a share of 30.
   */
  flakiness: number;
  /** From 0.2 on, until it is below 0.1. */
  isFlaky: boolean;
  /** Of the same runs; null when none has a duration. */
  durations: { medianSeconds: number; p95Seconds: number } | null;
  /** The median of the last 5 is more than 1.5 times that of the 20 before. */
  isLonger: boolean;
}

/** What a PackageStatus is made of. */
export const READ_COLUMNS = columnsOf(PackageStatusRow);

/** What a row is made with, of an architecture that is known. */
export const STATUS_ROW_COLUMNS = without(READ_COLUMNS, 'arch');

/** Of a row of `package_statuses`: the runs that say most about a place. */
export const LANDMARK_COLUMNS = without(
  STATUS_ROW_COLUMNS,
  ...(['strip', 'flakiness', 'isFlaky', 'medianSeconds', 'p95Seconds', 'isLonger'] as const),
);

export const STATUSES_OF = statement(
  READ_COLUMNS,
  `
  select ${selectList(READ_COLUMNS, 's')} from package_statuses s where s.package = any($1::text[])
  order by s.package, s.suite, s.arch`,
);

export function packageStatus(row: RowOf<typeof READ_COLUMNS>): PackageStatus {
  const { medianSeconds, p95Seconds } = row;
  const failing = statusRun(row.failingRunId, row.failingVersion, row.failingAt);
  const recovered = statusRun(row.recoveredRunId, row.recoveredVersion, row.recoveredAt);
  return {
    package: row.package,
    suite: row.suite,
    arch: row.arch,
    latest: { runId: row.runId, version: row.version, date: row.finishedAt, verdict: row.verdict },
    previousVerdict: row.previousVerdict,
    lastPass: statusRun(row.passedRunId, row.passedVersion, row.passedAt),
    failingSince: failing && { ...failing, trigger: row.failingTrigger },
    recovered: recovered && { ...recovered, trigger: row.recoveredTrigger },
    strip: stripEntries(row.strip),
    flakiness: row.flakiness,
    isFlaky: row.isFlaky,
    durations: medianSeconds === null || p95Seconds === null ? null : { medianSeconds, p95Seconds },
    isLonger: row.isLonger,
  };
}

function statusRun(runId: number | null, version: string | null, date: Date | null): StatusRun | null {
  return runId === null || version === null || date === null ? null : { runId, version, date };
}
