import type { AttemptOutcome } from '@proctor/contracts';
import { Check, Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from './bigint';
import { RunRow } from './run';

/** The n-th execution of a run: one row for each lease granted. */
@Entity('attempts')
@Check('attempts_outcome_check', `outcome in ('finished', 'expired', 'lost', 'returned', 'cancelled')`)
@Check('attempts_ended_check', '(outcome is null) = (ended_at is null)')
export class AttemptRow {
  @PrimaryColumn('integer')
  runId: number;

  @ManyToOne(() => RunRow, { nullable: false })
  @JoinColumn({ name: 'run_id', foreignKeyConstraintName: 'attempts_run_id_fkey' })
  run?: RunRow;

  /** 1 is the first. */
  @PrimaryColumn('integer')
  attempt: number;

  @Column('text')
  worker: string;

  @Column('text')
  incarnation: string;

  @Column('integer')
  slot: number;

  /** Of the dispatcher that granted it. */
  @Column('bigint', { transformer: bigintAsNumber })
  epoch: number;

  @Column('timestamp with time zone', { precision: 3 })
  grantedAt: Date;

  @Column('timestamp with time zone', { precision: 3, nullable: true })
  startedAt: Date | null;

  @Column('timestamp with time zone', { precision: 3, nullable: true })
  endedAt: Date | null;

  @Column('text', { nullable: true })
  outcome: AttemptOutcome | null;

  /** Why it ended without a result, for people. */
  @Column('text', { nullable: true })
  reason: string | null;
}
