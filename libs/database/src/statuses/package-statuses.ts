import type { PackageVerdict } from '@proctor/contracts';
import { type StripEntry, stripEntries } from './package-status';
import { columnsOf, without } from '../kit/columns-of';
import { type RowOf, selectList, statement } from '../kit/statement';
import { PackageStatusRow } from '../rows/package-status';

/** A run of a PackageStatus. */
interface StatusRun {
  runId: number;
  /** The version of the package; `n/a` if unknown. */
  version: string;
  /** When it ended. */
  date: Date;
}

/**
 * The status of a package on one suite and architecture. It changes about a second after a run ends or is published;
 * see `StatusProjection`. Only public runs without pins and extra sources count that were not cancelled.
 */
export interface PackageStatus {
  package: string;
  suite: string;
  arch: string;
  /** The newest run that counts. */
  latest: StatusRun & { verdict: PackageVerdict };
  /** The verdict of the run before; null for the first run. */
  previousVerdict: PackageVerdict | null;
  /** The newest run that passed or had nothing to test; null if there is none. */
  lastPass: StatusRun | null;
  /** The first run that failed since the last pass, tmpfail excluded; null if it does not fail. */
  failingSince: (StatusRun & { trigger: string | null }) | null;
  /** The first run that passed after the newest failure; null while it fails, or if it never failed. */
  recovered: (StatusRun & { trigger: string | null }) | null;
  /** The last 30 public runs, pinned ones included and cancelled ones excluded; oldest first. */
  strip: StripEntry[];
  /**
   * Changes between pass and fail among the last 30 runs that count and are no tmpfail, within a version, as
   * a share of 30.
   */
  flakiness: number;
  /** From 0.2 on, until it is below 0.1. */
  isFlaky: boolean;
  /** The durations of the same runs; null if none has a duration. */
  durations: { medianSeconds: number; p95Seconds: number } | null;
  /** The median of the last 5 is more than 1.5 times that of the 20 before. */
  isLonger: boolean;
}

/** The columns of a PackageStatus. */
export const READ_COLUMNS = columnsOf(PackageStatusRow);

/** The columns to write for a known architecture. */
export const STATUS_ROW_COLUMNS = without(READ_COLUMNS, 'arch');

/** The columns of a row of `package_statuses` about the most informative runs of a place. */
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
