import { WORKER_STANDINGS, type WorkerStanding } from '@proctor/contracts';
import { Check, Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn, Unique } from 'typeorm';
import { isOneOf, SqlIndex } from './decorators';

/** A worker that an administrator has added. It stays here when it is revoked. */
@Entity('workers')
@Unique('workers_public_key_key', ['publicKey'])
@Check('workers_public_key_check', `public_key ~ '^U[A-Z2-7]{55}$'`)
@Check('workers_architectures_check', 'cardinality(architectures) > 0')
export class WorkerRow {
  @PrimaryColumn('text')
  name: string;

  /** Of its nkey: who has the other half is this worker. */
  @Column('text')
  publicKey: string;

  @Column('text', { array: true })
  architectures: string[];

  @Column('boolean')
  mayRunPrivate: boolean;

  @Column('timestamp with time zone', { precision: 3 })
  createdAt: Date;

  /** Null while it is valid. */
  @Column('timestamp with time zone', { precision: 3, nullable: true })
  revokedAt: Date | null;

  /** Up to a minute late. */
  @Column('timestamp with time zone', { precision: 3, nullable: true })
  lastSeenAt: Date | null;

  /** Address; null where it is not known. */
  @Column('text', { nullable: true })
  lastSeenFrom: string | null;

  /** Messages of it that no dispatcher took, since it was added. */
  @Column('bigint', { default: 0 })
  refusals: number;

  /** Why, for people. */
  @Column('text', { nullable: true })
  lastRefusal: string | null;

  @Column('timestamp with time zone', { precision: 3, nullable: true })
  lastRefusedAt: Date | null;
}

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
