import type { AuditAction } from '@proctor/contracts';
import {
  Column,
  CreateDateColumn,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryGeneratedColumn,
} from 'typeorm';
import { UserRow } from './user';
import { SqlIndex } from './decorators';

/** Who did what: each login, and each decision about accounts, queues, workers and runs. */
@Entity('audit_entries')
@Index('audit_entries_at', ['createdAt', 'entryId'])
@Index('audit_entries_user', ['userName', 'createdAt', 'entryId'])
@Index('audit_entries_action', ['action', 'createdAt', 'entryId'])
@SqlIndex(
  'audit_entries_subject',
  `(subject text_pattern_ops, created_at, entry_id) where subject is not null`,
)
export class AuditEntryRow {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'BY DEFAULT' })
  entryId: number;

  @Column('text')
  action: AuditAction;

  /** Null when a login was refused, and for what was typed on the machine. */
  @Column('integer', { nullable: true })
  userId: number | null;

  @ManyToOne(() => UserRow)
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'audit_entries_user_id_fkey' })
  user?: UserRow | null;

  /** As it was said at a login that was refused. */
  @Column('text')
  userName: string;

  /** What it was done to: a key, another user, a package. */
  @Column('text', { nullable: true })
  subject: string | null;

  /** Why, or how, for people. */
  @Column('text', { nullable: true })
  detail: string | null;

  /** How many runs were changed. */
  @Column('integer', { nullable: true })
  runs: number | null;

  /** Of the network that it was done from. */
  @Column('text', { nullable: true })
  address: string | null;

  @CreateDateColumn({ type: 'timestamp with time zone', precision: 3, default: () => 'now()' })
  createdAt: Date;
}
