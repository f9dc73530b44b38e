import { KEY_SCOPES, type KeyScope } from '@proctor/contracts';
import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  Unique,
} from 'typeorm';
import { isOneOf } from './decorators';
import { UserRow } from './user';

@Entity('api_keys')
@Unique('api_keys_prefix_key', ['prefix'])
@Unique('api_keys_key_hash_key', ['keyHash'])
@Unique('api_keys_key_id_user_id_key', ['keyId', 'userId'])
@Check('api_keys_scope_check', isOneOf('scope', KEY_SCOPES))
@Index('api_keys_of_pages', ['userId'], { unique: true, where: 'is_of_pages' })
export class ApiKeyRow {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'BY DEFAULT' })
  keyId: number;

  @Column('integer')
  userId: number;

  @ManyToOne(() => UserRow, { nullable: false })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'api_keys_user_id_fkey' })
  user?: UserRow;

  /** The name that the user chose. */
  @Column('text')
  name: string;

  /** The first characters of the key, by which people distinguish keys. */
  @Column('text')
  prefix: string;

  /** SHA-256 of the key, lower-case hex; for an imported key that was not used here yet, `sha1:` and its SHA-1. */
  @Column('text')
  keyHash: string;

  @CreateDateColumn({ type: 'timestamp with time zone', precision: 3, default: () => 'now()' })
  createdAt: Date;

  /** The time of the last use, up to a minute late. */
  @Column('timestamp with time zone', { precision: 3, nullable: true })
  lastUsedAt: Date | null;

  @Column('timestamp with time zone', { precision: 3, nullable: true })
  revokedAt: Date | null;

  /** The time from which the key is refused; null: never. */
  @Column('timestamp with time zone', { precision: 3, nullable: true })
  expiresAt: Date | null;

  @Column('text', { default: 'everything' })
  scope: KeyScope;

  /** The key for requests that its user makes on web pages. Its secret was never shown, and no list contains it. */
  @Column('boolean', { default: false })
  isOfPages: boolean;
}

/** A request that its client may send again, with the answer that it got. */
@Entity('idempotency_keys')
@Index('idempotency_keys_age', ['createdAt'])
export class IdempotencyKeyRow {
  @PrimaryColumn('integer')
  keyId: number;

  @ManyToOne(() => ApiKeyRow, { nullable: false })
  @JoinColumn({ name: 'key_id', foreignKeyConstraintName: 'idempotency_keys_key_id_fkey' })
  apiKey?: ApiKeyRow;

  /** The key that the client chose for the request. */
  @PrimaryColumn('text')
  key: string;

  /** SHA-256 of the request, lower-case hex. */
  @Column('text')
  fingerprint: string;

  /** Never null after the commit. The type is not jsonb, because that would change the order of the keys. */
  @Column('json', { nullable: true })
  answer: unknown;

  @Column('timestamp with time zone', { precision: 3 })
  createdAt: Date;
}
