import { Inject, Injectable } from '@nestjs/common';
import { MAIL_PERIODS, type MailPeriod } from '@proctor/contracts';
import { ASK_PAUSE_MINUTES, MailAddresses, type MailSettings, type User } from '@proctor/database';
import { isEmail } from 'class-validator';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { badRequest, notFound, Problem } from '../../http/problem';
import { secondsInWords } from '../layout/times';
import { nextMailAt } from './mail-period';

const ADDRESS_LENGTH_MAX = 254;
/** The secret part of a link in a mail. */
const TOKEN = /^[\w-]{43}$/;

/** What a user has entered about mails. */
export interface MailForm {
  address: string;
  period: MailPeriod;
}

/** @throws Problem 400 for anything else than an address and a period */
export function mailFormOf(address: string, period: string): MailForm {
  const choice = MAIL_PERIODS.find((each) => each === period);
  if (choice === undefined) throw badRequest(`period must be one of ${MAIL_PERIODS.join(', ')}.`);
  const isAddress =
    address.length <= ADDRESS_LENGTH_MAX && isEmail(address) && /^[\x21-\x7e]+$/.test(address);
  if (!isAddress || /["<>,;:()[\]\\]/.test(address))
    throw badRequest('address must be one address, such as ada@example.org.');
  return { address, period: choice };
}

/** The address of a user for mails, how often they are sent, and the links in them. */
@Injectable()
export class MailService {
  constructor(
    private readonly addresses: MailAddresses,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** Null when the service sends no mail. */
  async settings({ userId }: Pick<User, 'userId'>): Promise<{ settings: MailSettings | null } | null> {
    if (!this.configuration.server.mail) return null;
    return { settings: await this.addresses.find(userId) };
  }

  /**
   * Sets the address and how often it gets mail. Another address must be confirmed first.
   * @throws Problem 404 when the service sends no mail; 429 when the last request was less than ASK_PAUSE_MINUTES ago
   */
  async set({ userId }: Pick<User, 'userId'>, { address, period }: MailForm): Promise<void> {
    if (!this.configuration.server.mail) throw notFound('This service sends no mail.');
    const now = new Date();
    const previous = await this.addresses.find(userId);
    if (previous?.address === address && previous.confirmedAt !== null)
      return this.addresses.setPeriod(userId, period, nextMailAt(period, now), now);
    if (await this.addresses.request(userId, address, period, now)) return;
    throw new Problem(
      429,
      `A mail that confirms an address is sent once in ${secondsInWords(ASK_PAUSE_MINUTES * 60)}. Wait, then try again.`,
      { headers: { 'Retry-After': String(ASK_PAUSE_MINUTES * 60) } },
    );
  }

  remove({ userId }: Pick<User, 'userId'>): Promise<void> {
    return this.addresses.remove(userId);
  }

  /** @throws Problem 404 when the link is too old, or used */
  async findUnconfirmed(token: string): Promise<{ userName: string; address: string }> {
    const user = TOKEN.test(token) ? await this.addresses.findUnconfirmed(token, new Date()) : null;
    if (!user) throw tooOld();
    return user;
  }

  /** @throws Problem 404 when the link is too old, or used */
  async confirm(token: string): Promise<void> {
    const now = new Date();
    const user = TOKEN.test(token) ? await this.addresses.confirm(token, now) : null;
    if (!user) throw tooOld();
    await this.addresses.setPeriod(user.userId, user.period, nextMailAt(user.period, now), now);
  }

  /** The name of the user whose mails a link ends. @throws Problem 404 when there are none */
  async ownerOf(token: string): Promise<string> {
    const owner = TOKEN.test(token) ? await this.addresses.ownerOf(token) : null;
    if (owner === null) throw noMails();
    return owner;
  }

  /** @throws Problem 404 when there are none */
  async unsubscribe(token: string): Promise<void> {
    if (!TOKEN.test(token) || !(await this.addresses.unsubscribe(token))) throw noMails();
  }
}

const tooOld = (): Problem => notFound('This link is too old, or was used. Enter the address again.');
const noMails = (): Problem => notFound('No mails have this link.');
