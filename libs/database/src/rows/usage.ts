import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { UserRow } from './user';

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
