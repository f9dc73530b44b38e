import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { UserRow } from './user';

/** A worker that is granted nothing until a user brings it back. */
@Entity('drains')
export class DrainRow {
  @PrimaryColumn('text')
  worker: string;

  @Column('integer')
  actorId: number;

  @ManyToOne(() => UserRow, { nullable: false })
  @JoinColumn({ name: 'actor_id', foreignKeyConstraintName: 'drains_actor_id_fkey' })
  actor?: UserRow;

  @Column('text')
  reason: string;

  @Column('timestamp with time zone', { precision: 3 })
  since: Date;
}
