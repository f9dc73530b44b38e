import { FOLLOW_KINDS, type FollowKind } from '@proctor/contracts';
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
import { isOneOf, SqlIndex } from './decorators';

/** A person or service that may request runs, with an API key. */
@Entity('users')
@Unique('users_name_key', ['name'])
export class UserRow {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'BY DEFAULT' })
  userId: number;

  @Column('text')
  name: string;

  @Column('boolean')
  isAdmin: boolean;

  /** The result of `hashPassword`; null: no password, only keys. */
  @Column('text', { nullable: true })
  passwordHash: string | null;

  @CreateDateColumn({ type: 'timestamp with time zone', precision: 3, default: () => 'now()' })
  createdAt: Date;

  /** From this time on, passwords, keys and login providers of the user are refused. */
  @Column('timestamp with time zone', { precision: 3, nullable: true })
  disabledAt: Date | null;

  /** Removed: the row stays for the user's runs, and so that no other user gets the name. */
  @Column('timestamp with time zone', { precision: 3, nullable: true })
  removedAt: Date | null;
}

/**
 * The identity of a user at a login provider. Names can change there and be given to others; the subject of an issuer
 * cannot.
 */
@Entity('identities')
export class IdentityRow {
  /** The address by which the provider identifies itself. */
  @PrimaryColumn('text')
  issuer: string;

  @PrimaryColumn('text')
  subject: string;

  @Column('integer')
  @Index('identities_user')
  userId: number;

  @ManyToOne(() => UserRow)
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'identities_user_id_fkey' })
  user?: UserRow;

  @CreateDateColumn({ type: 'timestamp with time zone', precision: 3, default: () => 'now()' })
  createdAt: Date;
}

/** The session of a browser; connect-pg-simple determines the names of the columns. */
@Entity('sessions')
@Index('sessions_expire', ['expire'])
@SqlIndex('sessions_user', `((sess ->> 'userId'))`)
export class SessionRow {
  /** SHA-256 of the session id, which only the browser knows. */
  @PrimaryColumn('text')
  sid: string;

  @Column('json')
  sess: unknown;

  @Column('timestamp with time zone', { precision: 3 })
  expire: Date;
}

/** The secret that signs cookies, so that a forged cookie needs no query. The table has one row. */
@Entity('session_secrets')
export class SessionSecretRow {
  @PrimaryColumn('text')
  secret: string;
}

/** Something that a user follows. */
@Entity('follows')
@Check('follows_kind_check', isOneOf('kind', FOLLOW_KINDS))
export class FollowRow {
  @PrimaryColumn('integer')
  userId: number;

  @ManyToOne(() => UserRow, { nullable: false })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'follows_user_id_fkey' })
  user?: UserRow;

  @PrimaryColumn('text')
  kind: FollowKind;

  /** The name of a package, in which `*` matches anything, the number of a run, or a trigger. */
  @PrimaryColumn('text')
  name: string;
}

/** The address of the feed of a user's packages, for all who have it. */
@Entity('feed_addresses')
@Unique('feed_addresses_token_key', ['token'])
export class FeedAddressRow {
  @PrimaryColumn('integer')
  userId: number;

  @ManyToOne(() => UserRow, { nullable: false })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'feed_addresses_user_id_fkey' })
  user?: UserRow;

  /** The secret part of the address. */
  @Column('text')
  token: string;
}
