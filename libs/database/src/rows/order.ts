import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { RunRow } from './run';
import { UserRow } from './user';

/** What a dispatcher must take in about a run, committed together with what it follows from. */
@Entity('orders')
@Check('orders_kind_check', `kind in ('cancel')`)
@Index('orders_waiting', { synchronize: false })
export class OrderRow {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'BY DEFAULT' })
  orderId: number;

  @Column('text')
  arch: string;

  @Column('text')
  kind: 'cancel';

  @Column('integer')
  runId: number;

  @ManyToOne(() => RunRow, { nullable: false })
  @JoinColumn({ name: 'run_id', foreignKeyConstraintName: 'orders_run_id_fkey' })
  run?: RunRow;

  @Column('integer')
  actorId: number;

  @ManyToOne(() => UserRow, { nullable: false })
  @JoinColumn({ name: 'actor_id', foreignKeyConstraintName: 'orders_actor_id_fkey' })
  actor?: UserRow;

  @Column('text', { nullable: true })
  reason: string | null;

  @Column('timestamp with time zone', { precision: 3 })
  createdAt: Date;

  /** Whether a dispatcher has acted on it. */
  @Column('boolean', { default: false })
  takenIn: boolean;
}
