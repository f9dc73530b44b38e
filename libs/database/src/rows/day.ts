import { type PackageVerdict, PACKAGE_VERDICTS } from '@proctor/contracts';
import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import { isOneOf } from './decorators';

/** The public runs that ended on a day, UTC, with a verdict, cancelled ones not. Made of the runs, and kept when they go. */
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

  /** Those whose duration is known, and how long all of them took. */
  @Column('integer')
  timedRuns: number;

  @Column('bigint')
  testSeconds: number;

  /** Those that were started, and how long all of them waited from their request to the start of the attempt that counts. */
  @Column('integer')
  startedRuns: number;

  @Column('bigint')
  waitSeconds: number;

  /** How many of them began within 15 minutes, an hour, six hours and a day. */
  @Column('integer')
  beganInQuarter: number;

  @Column('integer')
  beganInHour: number;

  @Column('integer')
  beganInSixHours: number;

  @Column('integer')
  beganInDay: number;
}

/** How many packages had which status at the end of a day, UTC. Made of the runs, and kept when they go. */
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

/** The public runs of a package that ended in a month, UTC, with a verdict, and whose rows were removed; cancelled ones are not counted. */
@Entity('package_months')
@Check('package_months_verdict_check', isOneOf('verdict', PACKAGE_VERDICTS))
export class PackageMonthRow {
  @PrimaryColumn('text')
  package: string;

  @PrimaryColumn('text')
  suite: string;

  @PrimaryColumn('text')
  arch: string;

  /** Its first day. */
  @PrimaryColumn('date')
  month: string;

  @PrimaryColumn('text')
  verdict: PackageVerdict;

  @Column('integer')
  runs: number;

  /** Those whose duration is known, and how long all of them took. */
  @Column('integer')
  timedRuns: number;

  @Column('bigint')
  testSeconds: number;
}
