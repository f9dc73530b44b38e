import { ATTEMPT_OUTCOMES, type AttemptOutcome, type Verdict, VERDICTS } from '@proctor/contracts';
import { Check, Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { RunRow } from './run';
import { isOneOf, SqlIndex } from './decorators';

/** The n-th execution of a run: one row for each lease granted. */
@Entity('attempts')
@Check('attempts_outcome_check', isOneOf('outcome', ATTEMPT_OUTCOMES))
@Check('attempts_verdict_check', isOneOf('verdict', VERDICTS))
@Check('attempts_ended_check', '(outcome is null) = (ended_at is null)')
@SqlIndex(
  'attempts_of_workers',
  `(worker, ended_at desc, run_id desc, attempt desc)
    where outcome in ('finished', 'failed', 'expired', 'lost')`,
)
export class AttemptRow {
  @PrimaryColumn('bigint')
  runId: number;

  @ManyToOne(() => RunRow, { nullable: false })
  @JoinColumn({ name: 'run_id', foreignKeyConstraintName: 'attempts_run_id_fkey' })
  run?: RunRow;

  /** The number of the attempt; the first is 1. */
  @PrimaryColumn('integer')
  attempt: number;

  @Column('text')
  worker: string;

  @Column('text')
  incarnation: string;

  @Column('integer')
  slot: number;

  /** The epoch of the dispatcher that granted the lease. */
  @Column('bigint')
  epoch: number;

  @Column('timestamp with time zone', { precision: 3 })
  grantedAt: Date;

  @Column('timestamp with time zone', { precision: 3, nullable: true })
  startedAt: Date | null;

  @Column('timestamp with time zone', { precision: 3, nullable: true })
  endedAt: Date | null;

  @Column('text', { nullable: true })
  outcome: AttemptOutcome | null;

  /** The reason why it did not end the run with a result, for people; for a failed attempt, its message. */
  @Column('text', { nullable: true })
  reason: string | null;

  /** A text about the crash of its runner, the same for equal crashes; null without a crash. */
  @Column('text', { nullable: true })
  crash: string | null;

  /** The verdict of its report; null without an accepted report. */
  @Column('text', { nullable: true })
  verdict: Verdict | null;

  @Column('smallint', { nullable: true })
  exitCode: number | null;

  /** Bytes in the store; null when there is no such file. */
  @Column('bigint', { nullable: true })
  logSize: number | null;

  @Column('bigint', { nullable: true })
  artifactsSize: number | null;
}
