import { type PackageVerdict, PACKAGE_VERDICTS } from '@proctor/contracts';
import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { isOneOf, SqlIndex } from './decorators';

/** How a package is on one suite and architecture, made of its public runs: all of it can be made again of these. */
@Entity('package_statuses')
@Check('package_statuses_verdict_check', isOneOf('verdict', PACKAGE_VERDICTS))
@Check('package_statuses_previous_check', isOneOf('previous_verdict', PACKAGE_VERDICTS))
@Check(
  'package_statuses_pass_check',
  '(passed_run_id is null) = (passed_version is null) and (passed_run_id is null) = (passed_at is null)',
)
@Check(
  'package_statuses_failing_check',
  '(failing_run_id is null) = (failing_version is null) and (failing_run_id is null) = (failing_at is null)',
)
@Check(
  'package_statuses_recovered_check',
  '(recovered_run_id is null) = (recovered_version is null) and (recovered_run_id is null) = (recovered_at is null)',
)
@SqlIndex(
  'package_statuses_failing',
  `(failing_at desc, package, suite, arch) where failing_run_id is not null`,
)
@SqlIndex('package_statuses_broken', `(finished_at desc, package, suite, arch) where verdict = 'tmpfail'`)
@SqlIndex('package_statuses_failures', `(package, suite, arch) where verdict = 'fail'`)
@SqlIndex('package_statuses_unsteady', `(flakiness desc, package, suite, arch) where is_flaky`)
@SqlIndex(
  'package_statuses_slow',
  `(median_seconds desc, package, suite, arch) where median_seconds is not null`,
)
@SqlIndex(
  'package_statuses_changed',
  `(greatest(failing_at, recovered_at) desc, package, suite, arch)
    where failing_at is not null or recovered_at is not null`,
)
@Index('package_statuses_counts', ['arch', 'suite', 'verdict'])
export class PackageStatusRow {
  @PrimaryColumn('text')
  package: string;

  @PrimaryColumn('text')
  suite: string;

  @PrimaryColumn('text')
  arch: string;

  /** The newest run that counts for the status. */
  @Column('bigint')
  runId: number;

  @Column('text')
  verdict: PackageVerdict;

  @Column('text')
  version: string;

  @Column('timestamp with time zone', { precision: 3 })
  finishedAt: Date;

  /** Of the run before; null the first time. */
  @Column('text', { nullable: true })
  previousVerdict: PackageVerdict | null;

  /** The newest run that passed or had nothing to test. */
  @Column('bigint', { nullable: true })
  passedRunId: number | null;

  @Column('text', { nullable: true })
  passedVersion: string | null;

  @Column('timestamp with time zone', { precision: 3, nullable: true })
  passedAt: Date | null;

  /** The first run that failed after it. */
  @Column('bigint', { nullable: true })
  failingRunId: number | null;

  @Column('text', { nullable: true })
  failingVersion: string | null;

  @Column('timestamp with time zone', { precision: 3, nullable: true })
  failingAt: Date | null;

  @Column('text', { nullable: true })
  failingTrigger: string | null;

  /** While it does not fail: the first run that passed after the newest failure. */
  @Column('bigint', { nullable: true })
  recoveredRunId: number | null;

  @Column('text', { nullable: true })
  recoveredVersion: string | null;

  @Column('timestamp with time zone', { precision: 3, nullable: true })
  recoveredAt: Date | null;

  @Column('text', { nullable: true })
  recoveredTrigger: string | null;

  /** A hexadecimal digit for each of the latest runs, see `encodedStrip`. */
  @Column('text')
  strip: string;

  @Column('double precision')
  flakiness: number;

  @Column('boolean')
  isFlaky: boolean;

  @Column('integer', { nullable: true })
  medianSeconds: number | null;

  @Column('integer', { nullable: true })
  p95Seconds: number | null;

  /** Whether it takes longer than it did. */
  @Column('boolean')
  isLonger: boolean;
}

/** How far the statuses of an architecture were made. */
@Entity('status_progress')
@Check('status_progress_filled_check', '(filled_package is null) = (filled_suite is null)')
export class StatusProgressRow {
  @PrimaryColumn('text')
  arch: string;

  /** UNIX time: what changed before it is in the statuses, or waits to be filled in. */
  @Column('bigint')
  second: number;

  /** Runs of before there were statuses are in them up to this package and suite; null when all are. */
  @Column('text', { nullable: true })
  filledPackage: string | null;

  @Column('text', { nullable: true })
  filledSuite: string | null;

  /** By which version of the projection the rows were made: those of another are made again. */
  @Column('integer', { default: 1 })
  layout: number;

  /** Up to this day, UTC, the statistics by day are made and stay as they are; null when none is. */
  @Column('date', { nullable: true })
  closedDay: string | null;
}
