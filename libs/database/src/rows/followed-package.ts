import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, Unique } from 'typeorm';
import { UserRow } from './user';

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

/** Where a user's packages are read as a feed, by whoever has the address. */
@Entity('feed_addresses')
@Unique('feed_addresses_token_key', ['token'])
export class FeedAddressRow {
  @PrimaryColumn('integer')
  userId: number;

  @ManyToOne(() => UserRow, { nullable: false })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'feed_addresses_user_id_fkey' })
  user?: UserRow;

  /** The part of the address that nobody can guess. */
  @Column('text')
  token: string;
}
