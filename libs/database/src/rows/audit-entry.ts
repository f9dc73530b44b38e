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

  /** Null for a refused login, and for commands on the machine. */
  @Column('integer', { nullable: true })
  userId: number | null;

  @ManyToOne(() => UserRow)
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'audit_entries_user_id_fkey' })
  user?: UserRow | null;

  /** The name of the user; for a refused login, the name that was typed. */
  @Column('text')
  userName: string;

  /** The object of the action: a key, another user, a package. */
  @Column('text', { nullable: true })
  subject: string | null;

  /** The reason or the manner, for people. */
  @Column('text', { nullable: true })
  detail: string | null;

  /** The number of changed runs. */
  @Column('integer', { nullable: true })
  runs: number | null;

  /** The network address of the actor. */
  @Column('text', { nullable: true })
  address: string | null;

  @CreateDateColumn({ type: 'timestamp with time zone', precision: 3, default: () => 'now()' })
  createdAt: Date;
}
