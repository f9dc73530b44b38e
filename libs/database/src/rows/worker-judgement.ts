import type { WorkerStanding } from '@proctor/contracts';
import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** What a dispatcher came to think of a worker. Of each worker the newest row counts; the older ones tell people more, and the oldest are deleted. */
@Entity('worker_judgements')
@Check('worker_judgements_standing_check', `standing in ('sound', 'slowed', 'quarantined')`)
@Index('worker_judgements_newest', { synchronize: false })
@Index('worker_judgements_old', { synchronize: false })
export class WorkerJudgementRow {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'BY DEFAULT' })
  judgementId: number;

  @Column('text')
  arch: string;

  @Column('text')
  worker: string;

  @Column('text')
  standing: WorkerStanding;

  /** For people. */
  @Column('text')
  reason: string;

  @Column('timestamp with time zone', { precision: 3 })
  at: Date;
}
