import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { UserRow } from './user';

/** Who owns an architecture, and until when. */
@Entity('dispatchers')
@Index('dispatchers_epoch', ['arch', 'epoch'], { unique: true })
export class DispatcherRow {
  @PrimaryColumn('text')
  arch: string;

  /** PostgreSQL's time in milliseconds when the ownership began, or more. */
  @Column('bigint')
  epoch: number;

  /** A scheduler's id; null once it was given up. */
  @Column('text', { nullable: true })
  owner: string | null;

  @Column('timestamp with time zone', { precision: 3 })
  expiresAt: Date;

  /** When the PostgreSQL server was started under which the ownership began, to the microsecond. */
  @Column('timestamp with time zone', { nullable: true })
  serverStartedAt: Date | null;
}

/** A scheduler process that is running, or was until lately. */
@Entity('schedulers')
export class SchedulerRow {
  @PrimaryColumn('text')
  scheduler: string;

  @Column('timestamp with time zone', { precision: 3 })
  expiresAt: Date;
}

/** How much slot time a user has used recently on an architecture: halves with each half-life since `at`. */
@Entity('usage')
export class UsageRow {
  @PrimaryColumn('text')
  arch: string;

  @PrimaryColumn('integer')
  userId: number;

  @ManyToOne(() => UserRow, { nullable: false, onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'usage_user_id_fkey' })
  user?: UserRow;

  /** Milliseconds of leases that have ended. */
  @Column('double precision')
  slotMs: number;

  /** The same of public runs alone. */
  @Column('double precision', { default: 0 })
  publicSlotMs: number;

  @Column('timestamp with time zone', { precision: 3 })
  at: Date;
}
