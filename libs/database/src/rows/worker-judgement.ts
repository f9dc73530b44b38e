import { WORKER_STANDINGS, type WorkerStanding } from '@proctor/contracts';
import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { isOneOf, SqlIndex } from './decorators';

/**
 * How a dispatcher judged a worker. Of each worker the newest row counts; the older ones are a record for people, and the
 * oldest are deleted.
 */
@Entity('worker_judgements')
@Check('worker_judgements_standing_check', isOneOf('standing', WORKER_STANDINGS))
@SqlIndex('worker_judgements_newest', `(arch, worker, judgement_id desc)`)
@Index('worker_judgements_old', ['arch', 'at'])
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
