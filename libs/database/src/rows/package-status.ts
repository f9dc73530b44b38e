import { type PackageVerdict, PACKAGE_VERDICTS } from '@proctor/contracts';
import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { isOneOf, SqlIndex } from './decorators';

/**
 * The status of a package on one suite and architecture. All of it is computed from its public runs and can be
 * computed again.
 */
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

  /** The verdict of the run before; null for the first run. */
  @Column('text', { nullable: true })
  previousVerdict: PackageVerdict | null;

  /** The newest run that passed or had nothing to test. */
  @Column('bigint', { nullable: true })
  passedRunId: number | null;

  @Column('text', { nullable: true })
  passedVersion: string | null;

  @Column('timestamp with time zone', { precision: 3, nullable: true })
  passedAt: Date | null;

  /** The first run that failed after the last pass. */
  @Column('bigint', { nullable: true })
  failingRunId: number | null;

  @Column('text', { nullable: true })
  failingVersion: string | null;

  @Column('timestamp with time zone', { precision: 3, nullable: true })
  failingAt: Date | null;

  @Column('text', { nullable: true })
  failingTrigger: string | null;

  /** The first run that passed after the newest failure; null while the package fails. */
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

  /** Whether its tests take longer than before. */
  @Column('boolean')
  isLonger: boolean;
}

/** How far the statuses of an architecture have been computed. */
@Entity('status_progress')
@Check('status_progress_filled_check', '(filled_package is null) = (filled_suite is null)')
export class StatusProgressRow {
  @PrimaryColumn('text')
  arch: string;

  /** UNIX time: changes before it are in the statuses, or will be filled in. */
  @Column('bigint')
  second: number;

  /** The package and suite up to which older runs have been filled in; null when all have. */
  @Column('text', { nullable: true })
  filledPackage: string | null;

  @Column('text', { nullable: true })
  filledSuite: string | null;

  /** The version of the projection that computed the rows; rows of another version are computed again. */
  @Column('integer', { default: 1 })
  layout: number;

  /** The day, UTC, up to which daily statistics are final; null if none are. */
  @Column('date', { nullable: true })
  closedDay: string | null;
}
