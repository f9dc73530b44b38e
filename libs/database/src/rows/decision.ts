import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { UserRow } from './user';
import { SqlIndex } from './decorators';

/** A suite queue, several of them, or everything, that a user has stopped: one row for each scope. */
@Entity('pauses')
@SqlIndex('pauses_scope', `(coalesce(arch, ''), coalesce(suite, ''))`, { unique: true })
export class PauseRow {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'BY DEFAULT' })
  pauseId: number;

  /** Null: every architecture. */
  @Column('text', { nullable: true })
  arch: string | null;

  /** Null: every suite. */
  @Column('text', { nullable: true })
  suite: string | null;

  @Column('integer')
  actorId: number;

  @ManyToOne(() => UserRow, { nullable: false })
  @JoinColumn({ name: 'actor_id', foreignKeyConstraintName: 'pauses_actor_id_fkey' })
  actor?: UserRow;

  @Column('text')
  reason: string;

  @Column('timestamp with time zone', { precision: 3 })
  since: Date;
}

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

  /** When it hands back what it still executes; null: it may finish all of it. */
  @Column('timestamp with time zone', { precision: 3, nullable: true })
  deadline: Date | null;
}
