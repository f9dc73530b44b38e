import { MAIL_PERIODS, type MailPeriod } from '@proctor/contracts';
import { Check, Column, Entity, JoinColumn, OneToOne, PrimaryColumn, Unique } from 'typeorm';
import { isOneOf, SqlIndex } from './decorators';
import { UserRow } from './user';

const TIME = { type: 'timestamp with time zone', precision: 3 } as const;

/** The address to which a user gets mail, and how the last mail has ended. */
@Entity('mail_addresses')
@Unique('mail_addresses_token_key', ['token'])
@Unique('mail_addresses_confirm_token_key', ['confirmToken'])
@Check('mail_addresses_period_check', isOneOf('period', MAIL_PERIODS))
@Check('mail_addresses_confirm_check', `confirm_token is null or confirmed_at is null`)
@Check('mail_addresses_sender_check', `(sender is null) = (sender_until is null)`)
@Check('mail_addresses_failing_check', `(failures = 0) = (failing_since is null)`)
@SqlIndex('mail_addresses_due', `(due_at) where due_at is not null`)
export class MailAddressRow {
  @PrimaryColumn('integer')
  userId: number;

  @OneToOne(() => UserRow, { nullable: false })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'mail_addresses_user_id_fkey' })
  user?: UserRow;

  @Column('text')
  address: string;

  @Column('text')
  period: MailPeriod;

  /** The secret part of the link that ends the mails. */
  @Column('text')
  token: string;

  /** The secret part of the link that confirms the address; null once it is confirmed. */
  @Column('text', { nullable: true })
  confirmToken: string | null;

  @Column({ ...TIME, nullable: true })
  confirmedAt: Date | null;

  /** When a mail with the link was last requested. */
  @Column(TIME)
  askedAt: Date;

  /** Changes up to this time were mailed. */
  @Column(TIME)
  mailedUntil: Date;

  /** When the next mail is sent; null: none is. */
  @Column({ ...TIME, nullable: true })
  dueAt: Date | null;

  /** The process that sends the mail; no other may until `senderUntil`. */
  @Column('text', { nullable: true })
  sender: string | null;

  @Column({ ...TIME, nullable: true })
  senderUntil: Date | null;

  /** The number of failures in a row. */
  @Column('integer', { default: 0 })
  failures: number;

  @Column({ ...TIME, nullable: true })
  failingSince: Date | null;

  /** Why the last mail could not be sent. */
  @Column('text', { nullable: true })
  error: string | null;
}
