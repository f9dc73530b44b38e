import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A scheduler process that has said that it lives. */
@Entity('schedulers')
export class SchedulerRow {
  @PrimaryColumn('text')
  scheduler: string;

  @Column('timestamp with time zone', { precision: 3 })
  expiresAt: Date;
}
