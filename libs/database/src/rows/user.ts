import {
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
import { SqlIndex } from './decorators';

/** A person or service that may request runs, once there is a key. */
@Entity('users')
@Unique('users_name_key', ['name'])
export class UserRow {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'BY DEFAULT' })
  userId: number;

  @Column('text')
  name: string;

  @Column('boolean')
  isAdmin: boolean;

  /** As `hashPassword` writes it; null: no password, only keys. */
  @Column('text', { nullable: true })
  passwordHash: string | null;

  @CreateDateColumn({ type: 'timestamp with time zone', precision: 3, default: () => 'now()' })
  createdAt: Date;

  /** Neither password nor keys nor a login provider let them in. */
  @Column('timestamp with time zone', { precision: 3, nullable: true })
  disabledAt: Date | null;

  /** Removed: the row stays for the user's runs, and so that no other user gets the name. */
  @Column('timestamp with time zone', { precision: 3, nullable: true })
  removedAt: Date | null;
}

/** Who a user is at a login provider. Names change there and are given to others; an issuer's subject is not. */
@Entity('identities')
export class IdentityRow {
  /** Address that the provider calls itself by. */
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

/** A browser's session; its columns have the names that connect-pg-simple wants. */
@Entity('sessions')
@Index('sessions_expire', ['expire'])
@SqlIndex('sessions_user', `((sess ->> 'userId'))`)
export class SessionRow {
  /** SHA-256 of its id, which the browser alone knows. */
  @PrimaryColumn('text')
  sid: string;

  @Column('json')
  sess: unknown;

  @Column('timestamp with time zone', { precision: 3 })
  expire: Date;
}

/** By which cookies are signed, so that a made-up one costs no look into the database. The table has one row. */
@Entity('session_secrets')
export class SessionSecretRow {
  @PrimaryColumn('text')
  secret: string;
}

/** A package that a user follows, or several. */
@Entity('followed_packages')
export class FollowedPackageRow {
  @PrimaryColumn('integer')
  userId: number;

  @ManyToOne(() => UserRow, { nullable: false })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'followed_packages_user_id_fkey' })
  user?: UserRow;

  /** A name in which `*` stands for anything. */
  @PrimaryColumn('text')
  pattern: string;
}

/** Where a user's packages are read as a feed, by all who have the address. */
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
