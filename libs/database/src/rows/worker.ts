import { Check, Column, Entity, PrimaryColumn, Unique } from 'typeorm';

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
