import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

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
