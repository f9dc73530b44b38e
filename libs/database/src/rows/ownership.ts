import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { UserRow } from './user';

/** The owner of an architecture, and the end of the ownership. */
@Entity('dispatchers')
@Index('dispatchers_epoch', ['arch', 'epoch'], { unique: true })
export class DispatcherRow {
  @PrimaryColumn('text')
  arch: string;

  /** PostgreSQL's time in milliseconds when the ownership began, or more. */
  @Column('bigint')
  epoch: number;

  /** The id of a scheduler; null after it gave up the architecture. */
  @Column('text', { nullable: true })
  owner: string | null;

  @Column('timestamp with time zone', { precision: 3 })
  expiresAt: Date;

  /** The start time of the PostgreSQL server under which the ownership began, to the microsecond. */
  @Column('timestamp with time zone', { nullable: true })
  serverStartedAt: Date | null;
}

/** A scheduler process that runs, or ran until recently. */
@Entity('schedulers')
export class SchedulerRow {
  @PrimaryColumn('text')
  scheduler: string;

  @Column('timestamp with time zone', { precision: 3 })
  expiresAt: Date;
}

/** The slot time that a user has recently used on an architecture; it halves with each half-life since `at`. */
@Entity('usage')
export class UsageRow {
  @PrimaryColumn('text')
  arch: string;

  @PrimaryColumn('integer')
  userId: number;

  @ManyToOne(() => UserRow, { nullable: false, onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'usage_user_id_fkey' })
  user?: UserRow;

  /** The slot time of ended leases, in milliseconds. */
  @Column('double precision')
  slotMs: number;

  /** The slot time of public runs only, in milliseconds. */
  @Column('double precision', { default: 0 })
  publicSlotMs: number;

  @Column('timestamp with time zone', { precision: 3 })
  at: Date;
}
