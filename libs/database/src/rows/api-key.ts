import {
  Column,
  CreateDateColumn,
  Entity,
  JoinColumn,
  ManyToOne,
  PrimaryGeneratedColumn,
  Unique,
} from 'typeorm';
import { UserRow } from './user';

@Entity('api_keys')
@Unique('api_keys_prefix_key', ['prefix'])
@Unique('api_keys_key_hash_key', ['keyHash'])
@Unique('api_keys_key_id_user_id_key', ['keyId', 'userId'])
export class ApiKeyRow {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'BY DEFAULT' })
  keyId: number;

  @Column('integer')
  userId: number;

  @ManyToOne(() => UserRow, { nullable: false })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'api_keys_user_id_fkey' })
  user?: UserRow;

  /** What its user calls it. */
  @Column('text')
  name: string;

  /** The key's first characters: how people tell keys apart. */
  @Column('text')
  prefix: string;

  /** SHA-256 of the key, lower-case hex. */
  @Column('text')
  keyHash: string;

  @CreateDateColumn({ type: 'timestamp with time zone', precision: 3, default: () => 'now()' })
  createdAt: Date;

  /** Up to a minute late. */
  @Column('timestamp with time zone', { precision: 3, nullable: true })
  lastUsedAt: Date | null;

  @Column('timestamp with time zone', { precision: 3, nullable: true })
  revokedAt: Date | null;
}
