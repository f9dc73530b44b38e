import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { MailPeriod } from '@proctor/contracts';
import { Database } from '../kit/database';
import type { WholeRow } from '../kit/columns-of';
import type { MailAddressRow } from '../rows/mail';
import * as statements from './mail-address-statements';
import type { DueMail, MailTrouble } from './mail-address-statements';

const TOKEN_BYTES = 32;
/** How long the link in a mail confirms an address. */
export const CONFIRM_HOURS_MAX = 48;
/** The pause between two requests of a user for a mail that confirms an address. */
export const ASK_PAUSE_MINUTES = 10;
/** An address that its relay refuses for so long is no longer used. */
export const REFUSED_DAYS_MAX = 14;

/** The mail settings of a user, as their page shows them. */
export type MailSettings = Pick<
  WholeRow<MailAddressRow>,
  'address' | 'period' | 'confirmedAt' | 'askedAt' | 'dueAt' | 'failingSince' | 'error'
>;

/** A failed attempt. */
interface MailFailure {
  error: string;
  /** The relay answered and refused this address, or this mail, for good. */
  isRefusal: boolean;
  /** The time until the next attempt. */
  pauseMs: number;
}

const token = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

/** The addresses of users who want mail, and which process sends what is due. All times are those of `now`. */
@Injectable()
export class MailAddresses {
  constructor(private readonly database: Database) {}

  async find(userId: number): Promise<MailSettings | null> {
    const [settings] = await this.database.query(statements.FIND, [userId]);
    return settings ?? null;
  }

  /**
   * Sets an address, which must be confirmed by the link of a mail before anything else is sent to it.
   * @returns false if the last such mail was requested less than ASK_PAUSE_MINUTES ago
   */
  async request(userId: number, address: string, period: MailPeriod, now: Date): Promise<boolean> {
    const parameters = [userId, address, period, token(), token(), now, ASK_PAUSE_MINUTES];
    return (await this.database.query(statements.ASK, parameters)).length > 0;
  }

  /** Sets how often a confirmed address gets mail; changes before now are not mailed. */
  async setPeriod(userId: number, period: MailPeriod, dueAt: Date | null, now: Date): Promise<void> {
    await this.database.query(statements.SET_PERIOD, [userId, period, dueAt, now]);
  }

  /** Removes the address. The time of its last request stays, so that no user can flood others with mails. */
  async remove(userId: number): Promise<void> {
    await this.database.query(statements.REMOVE, [userId, token()]);
  }

  /** The user and address that a link confirms; null if it is too old, or used. */
  async findUnconfirmed(
    confirmToken: string,
    now: Date,
  ): Promise<{ userName: string; address: string } | null> {
    const [row] = await this.database.query(statements.UNCONFIRMED, [confirmToken, now, CONFIRM_HOURS_MAX]);
    return row ?? null;
  }

  /** @returns the period that the user chose; null if the link is too old, or used */
  async confirm(confirmToken: string, now: Date): Promise<{ userId: number; period: MailPeriod } | null> {
    const [row] = await this.database.query(statements.CONFIRM, [confirmToken, now, CONFIRM_HOURS_MAX]);
    return row ?? null;
  }

  /** The name of the user whose mails have this token; null if there is none. */
  async ownerOf(unsubscribeToken: string): Promise<string | null> {
    const [row] = await this.database.query(statements.OWNER, [unsubscribeToken]);
    return row?.userName ?? null;
  }

  /** Ends the mails with this token. @returns false if there are none */
  async unsubscribe(unsubscribeToken: string): Promise<boolean> {
    return (await this.database.query(statements.UNSUBSCRIBE, [unsubscribeToken])).length > 0;
  }

  /** Claims a mail that is due and that no process sends; null if there is none. */
  async claim({ name, claimMs }: { name: string; claimMs: number }, now: Date): Promise<DueMail | null> {
    const [mail] = await this.database.query(statements.CLAIM, [name, claimMs, now]);
    return mail ?? null;
  }

  /** Milliseconds until the next mail is due; negative if it is overdue; null if none is. */
  async nextDueMs(now: Date): Promise<number | null> {
    const [row] = await this.database.query(statements.NEXT_DUE, [now]);
    return row!.dueMs;
  }

  /** Records a mail that was sent, or that there was nothing to send, unless another process has claimed it. */
  async recordSent(userId: number, name: string, until: Date, dueAt: Date | null): Promise<void> {
    await this.database.query(statements.SENT, [userId, name, until, dueAt]);
  }

  /** Records a failure. After REFUSED_DAYS_MAX of refusals no mail is sent to the address. */
  async recordFailure(userId: number, name: string, failure: MailFailure, now: Date): Promise<void> {
    const { error, isRefusal, pauseMs } = failure;
    const parameters = [userId, name, error, isRefusal, pauseMs, now, REFUSED_DAYS_MAX];
    await this.database.query(statements.FAILED, parameters);
  }

  /** Mails that wait because they could not be sent; null if there are none. */
  async trouble(): Promise<MailTrouble | null> {
    const [row] = await this.database.query(statements.TROUBLE);
    return row!.waiting === 0 ? null : row!;
  }
}
