import { type PackageVerdict, PACKAGE_VERDICTS } from '@proctor/contracts';
import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import { isOneOf } from './decorators';

/**
 * The number of public runs that ended with a verdict on a day, UTC, without cancelled ones. Computed from the runs,
 * and kept when their rows are removed.
 */
@Entity('run_days')
@Check('run_days_verdict_check', isOneOf('verdict', PACKAGE_VERDICTS))
export class RunDayRow {
  @PrimaryColumn('date')
  day: string;

  @PrimaryColumn('text')
  suite: string;

  @PrimaryColumn('text')
  arch: string;

  @PrimaryColumn('text')
  verdict: PackageVerdict;

  @Column('integer')
  runs: number;

  /** The number of runs whose duration is known, and (below) their total duration. */
  @Column('integer')
  timedRuns: number;

  @Column('bigint')
  testSeconds: number;

  /** The number of started runs, and (below) their total wait from the request to the start of the attempt that counts. */
  @Column('integer')
  startedRuns: number;

  @Column('bigint')
  waitSeconds: number;

  /** How many of them started within 15 minutes, one hour, six hours and one day. */
  @Column('integer')
  beganInQuarter: number;

  @Column('integer')
  beganInHour: number;

  @Column('integer')
  beganInSixHours: number;

  @Column('integer')
  beganInDay: number;
}

/**
 * The number of packages with each status at the end of a day, UTC. Computed from the runs, and kept when their rows
 * are removed.
 */
@Entity('status_days')
export class StatusDayRow {
  @PrimaryColumn('date')
  day: string;

  @PrimaryColumn('text')
  suite: string;

  @PrimaryColumn('text')
  arch: string;

  @Column('integer')
  pass: number;

  @Column('integer')
  neutral: number;

  @Column('integer')
  fail: number;

  @Column('integer')
  tmpfail: number;
}

/**
 * The number of public runs of a package that ended with a verdict in a month, UTC, and whose rows were removed;
 * cancelled runs are not counted.
 */
@Entity('package_months')
@Check('package_months_verdict_check', isOneOf('verdict', PACKAGE_VERDICTS))
export class PackageMonthRow {
  @PrimaryColumn('text')
  package: string;

  @PrimaryColumn('text')
  suite: string;

  @PrimaryColumn('text')
  arch: string;

  /** The first day of the month. */
  @PrimaryColumn('date')
  month: string;

  @PrimaryColumn('text')
  verdict: PackageVerdict;

  @Column('integer')
  runs: number;

  /** The number of runs whose duration is known, and (below) their total duration. */
  @Column('integer')
  timedRuns: number;

  @Column('bigint')
  testSeconds: number;
}
