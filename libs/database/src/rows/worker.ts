import { WORKER_STANDINGS, type WorkerStanding } from '@proctor/contracts';
import { Check, Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn, Unique } from 'typeorm';
import { isOneOf, SqlIndex } from './decorators';

/** A worker that an administrator has added. The row stays when the worker is revoked. */
@Entity('workers')
@Unique('workers_public_key_key', ['publicKey'])
@Check('workers_public_key_check', `public_key ~ '^U[A-Z2-7]{55}$'`)
@Check('workers_architectures_check', 'cardinality(architectures) > 0')
export class WorkerRow {
  @PrimaryColumn('text')
  name: string;

  /** The public key of its nkey: its owner is this worker. */
  @Column('text')
  publicKey: string;

  @Column('text', { array: true })
  architectures: string[];

  @Column('boolean')
  mayRunPrivate: boolean;

  @Column('timestamp with time zone', { precision: 3 })
  createdAt: Date;

  /** The time of the revocation; null while the worker is valid. */
  @Column('timestamp with time zone', { precision: 3, nullable: true })
  revokedAt: Date | null;

  /** The time of its last message, up to a minute late. */
  @Column('timestamp with time zone', { precision: 3, nullable: true })
  lastSeenAt: Date | null;

  /** The network address; null if unknown. */
  @Column('text', { nullable: true })
  lastSeenFrom: string | null;

  /** The number of its messages that dispatchers refused since it was added. */
  @Column('bigint', { default: 0 })
  refusals: number;

  /** The reason of the last refusal, for people. */
  @Column('text', { nullable: true })
  lastRefusal: string | null;

  @Column('timestamp with time zone', { precision: 3, nullable: true })
  lastRefusedAt: Date | null;
}

/**
 * The judgement of a dispatcher about a worker. Only the newest row of a worker counts; older rows are a record for
 * people, and the oldest are deleted.
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

  /** The reason, for people. */
  @Column('text')
  reason: string;

  @Column('timestamp with time zone', { precision: 3 })
  at: Date;
}
