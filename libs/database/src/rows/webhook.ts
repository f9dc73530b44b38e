import { DELIVERY_STATES, type DeliveryState } from '@proctor/contracts';
import type { EventFilter } from '@proctor/events';
import {
  Check,
  Column,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  Unique,
} from 'typeorm';
import { ApiKeyRow } from './api-key';
import { UserRow } from './user';
import { isOneOf, SqlIndex } from './decorators';

/** The filter of the events that a webhook gets. */
export interface WebhookFilter extends EventFilter {
  /** Only events of runs of the webhook's own user. */
  mine?: boolean | undefined;
}

const TIME = { type: 'timestamp with time zone', precision: 3 } as const;

/** An address of a user that events are sent to. */
@Entity('webhooks')
@Check('webhooks_disabled_check', `(disabled_at is null) = (disabled_reason is null)`)
@Check('webhooks_failing_check', `(failures = 0) = (failing_since is null)`)
@Check('webhooks_old_secret_check', `(old_secret is null) = (old_secret_until is null)`)
@Check('webhooks_sender_check', `(sender is null) = (sender_until is null)`)
@Index('webhooks_user', ['userId', 'webhookId'])
@Index('webhooks_key', ['keyId'])
export class WebhookRow {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'BY DEFAULT' })
  webhookId: number;

  @Column('integer')
  userId: number;

  @ManyToOne(() => UserRow)
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'webhooks_user_id_fkey' })
  user?: UserRow;

  /** The key whose private runs it gets; null: no private runs. */
  @Column('integer', { nullable: true })
  keyId: number | null;

  @ManyToOne(() => ApiKeyRow)
  @JoinColumn({ name: 'key_id', foreignKeyConstraintName: 'webhooks_key_id_fkey' })
  key?: ApiKeyRow | null;

  @Column('text')
  url: string;

  @Column('text')
  description: string;

  @Column('jsonb')
  filter: WebhookFilter;

  @Column('text')
  secret: string;

  /** The earlier secret, which also signs until `oldSecretUntil`. */
  @Column('text', { nullable: true })
  oldSecret: string | null;

  @Column({ ...TIME, nullable: true })
  oldSecretUntil: Date | null;

  @Column(TIME)
  createdAt: Date;

  /** The time since when it is enabled. */
  @Column(TIME)
  toldFrom: Date;

  @Column({ ...TIME, nullable: true })
  disabledAt: Date | null;

  @Column('text', { nullable: true })
  disabledReason: string | null;

  /** The number of failures in a row. */
  @Column('integer', { default: 0 })
  failures: number;

  @Column({ ...TIME, nullable: true })
  failingSince: Date | null;

  /** The time before which nothing is sent. */
  @Column({ ...TIME, nullable: true })
  notBefore: Date | null;

  /** The process that sends to it; no other may until `senderUntil`. */
  @Column('text', { nullable: true })
  sender: string | null;

  @Column({ ...TIME, nullable: true })
  senderUntil: Date | null;
}

/** An event, or a test, that a webhook gets. */
@Entity('webhook_deliveries')
@Check('webhook_deliveries_state_check', isOneOf('state', DELIVERY_STATES))
@Check('webhook_deliveries_event_check', `(fact_id is null) = (run_id is null)`)
@Unique('webhook_deliveries_event_key', ['webhookId', 'factId'])
@SqlIndex('webhook_deliveries_pending', `(webhook_id, run_id, fact_id) where state = 'pending'`)
@SqlIndex('webhook_deliveries_due', `(webhook_id, due_at) where state = 'pending'`)
@Index('webhook_deliveries_log', ['webhookId', 'deliveryId'])
@Index('webhook_deliveries_age', ['createdAt'])
export class WebhookDeliveryRow {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'BY DEFAULT' })
  deliveryId: number;

  @Column('integer')
  webhookId: number;

  @ManyToOne(() => WebhookRow, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'webhook_id', foreignKeyConstraintName: 'webhook_deliveries_webhook_id_fkey' })
  webhook?: WebhookRow;

  /** The fact of the event; null for a test. */
  @Column('bigint', { nullable: true })
  factId: number | null;

  @Column('bigint', { nullable: true })
  runId: number | null;

  @Column(TIME)
  createdAt: Date;

  @Column('text', { default: 'pending' })
  state: DeliveryState;

  @Column('integer', { default: 0 })
  attempts: number;

  @Column(TIME)
  dueAt: Date;

  /** The time of the latest attempt; the fields below are of the same attempt. */
  @Column({ ...TIME, nullable: true })
  sentAt: Date | null;

  @Column('integer', { nullable: true })
  status: number | null;

  @Column('integer', { nullable: true })
  durationMs: number | null;

  /** The beginning of the answer. */
  @Column('text', { nullable: true })
  answer: string | null;

  @Column('text', { nullable: true })
  error: string | null;
}

/** The second up to which deliveries of events were created. */
@Entity('webhook_progress')
@Check('webhook_progress_single_check', 'is_single')
export class WebhookProgressRow {
  @PrimaryColumn('boolean', { default: true })
  isSingle: boolean;

  @Column('bigint')
  second: number;
}
