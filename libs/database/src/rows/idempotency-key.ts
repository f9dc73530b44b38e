import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { ApiKeyRow } from './api-key';

/** A request that its client may send again, with the answer that it got. */
@Entity('idempotency_keys')
@Index('idempotency_keys_age', ['createdAt'])
export class IdempotencyKeyRow {
  @PrimaryColumn('integer')
  keyId: number;

  @ManyToOne(() => ApiKeyRow, { nullable: false })
  @JoinColumn({ name: 'key_id', foreignKeyConstraintName: 'idempotency_keys_key_id_fkey' })
  apiKey?: ApiKeyRow;

  /** The client's word. */
  @PrimaryColumn('text')
  key: string;

  /** SHA-256 of what was asked, lower-case hex. */
  @Column('text')
  fingerprint: string;

  /** Never null once it is committed; not jsonb, which would put its keys in another order. */
  @Column('json', { nullable: true })
  answer: unknown;

  @Column('timestamp with time zone', { precision: 3 })
  createdAt: Date;
}
