import { type PauseScope, SCOPE_FIELDS } from '@proctor/contracts';
import { Check, Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { isOneOf, SqlIndex } from './decorators';
import { RunRow } from './run';
import { UserRow } from './user';

/** The kinds of orders: the first three are about a run, the last seven about a worker. */
export const ORDER_KINDS = [
  'cancel',
  'reprioritise',
  'publish',
  'pause',
  'resume',
  'drain',
  'undrain',
  'trust',
  'quarantine',
  'register',
  'rotate',
  'revoke',
] as const;
export type OrderKind = (typeof ORDER_KINDS)[number];

/**
 * A decision of a user that a dispatcher must follow, committed together with its effects; also the permanent record
 * of who decided what and why. A decision that concerns several architectures has a row for each.
 */
@Entity('orders')
@Check('orders_kind_check', isOneOf('kind', ORDER_KINDS))
@Check('orders_run_check', `(kind in ('cancel', 'reprioritise', 'publish')) = (run_id is not null)`)
@Check(
  'orders_worker_check',
  `(kind in ('drain', 'undrain', 'trust', 'quarantine', 'register', 'rotate', 'revoke')) = (worker is not null)`,
)
@Check(
  'orders_priority_check',
  `(kind = 'reprioritise') = (priority is not null) and priority between 1 and 10`,
)
@SqlIndex('orders_waiting', `(arch, order_id) where not taken_in`)
@SqlIndex('orders_run', `(run_id) where run_id is not null`)
export class OrderRow {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'BY DEFAULT' })
  orderId: number;

  @Column('text')
  arch: string;

  @Column('text')
  kind: OrderKind;

  /** The run; only for the first three kinds. */
  @Column('bigint', { nullable: true })
  runId: number | null;

  /** No foreign key: an old run may be removed, but the decision stays. */
  @ManyToOne(() => RunRow, { createForeignKeyConstraints: false })
  @JoinColumn({ name: 'run_id' })
  run?: RunRow | null;

  /** The suite of a pause or its end; null: every suite. */
  @Column('text', { nullable: true })
  suite: string | null;

  /** The worker of a drain or its end, of a judgement, or of a change of the register. */
  @Column('text', { nullable: true })
  worker: string | null;

  /** The new priority. */
  @Column('smallint', { nullable: true })
  priority: number | null;

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

/** The unique key of a pause, in SQL. */
export const PAUSES_KEY = `(${SCOPE_FIELDS.map((field) => `coalesce(${field}, '')`).join(', ')})`;

/** A pause of a suite queue, several of them, or all: one row for each scope. */
@Entity('pauses')
@SqlIndex('pauses_scope', PAUSES_KEY, { unique: true })
export class PauseRow implements PauseScope {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'BY DEFAULT' })
  pauseId: number;

  /** The architecture; null: all. */
  @Column('text', { nullable: true })
  arch: string | null;

  /** The suite; null: all. */
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

/** A worker that gets no leases until a user ends the drain. */
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

  /** When the worker hands back its running tests; null: it may finish all of them. */
  @Column('timestamp with time zone', { precision: 3, nullable: true })
  deadline: Date | null;
}
