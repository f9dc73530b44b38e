import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Logger } from '@nestjs/common';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { type Clock, waitAtMost, WorkLoop } from '@proctor/clock';
import type { MailSection } from '@proctor/config';
import { CONFIRM_HOURS_MAX } from '@proctor/database';
import type { DueMail, MailAddresses, MailChanges, TriggerRuns } from '@proctor/database';
import { growingPauseMs, scatterPause } from '@proctor/pauses';
import type { ApiConfiguration } from '../configuration.token';
import { nextMailAt } from '../pages/account/mail-period';
import { digestOf } from './digest';
import { confirmText, digestText, type MailOrigin } from './mail-text';
import { type Mail, RelayError } from './relay';

/** How late a mail is sent that has become due after the last look. */
const LOOK_EVERY_MS = 10_000;
const LOOK_GAP_MS = 1_000;
/** The pause before a mail that failed is sent again; twice as long after each further failure. */
const RETRY_MIN_MS = 60_000;
const RETRY_MAX_MS = 3_600_000;
/** The pause of all mails after the relay has failed. */
const RELAY_PAUSE_MIN_MS = 5_000;
const RELAY_PAUSE_MAX_MS = 300_000;
/** A claim lasts longer than its mail may take. */
const CLAIM_MARGIN_MS = 60_000;
/** How long the process waits for the relay when it stops. */
const LAST_MAIL_MS = 3_000;
const HOUR_MS = 3_600_000;

export const MAIL_OUTCOMES = ['sent', 'refused', 'failed'] as const;
/** `refused`: the relay does not take mail to this address; `failed`: it took none. Both are tried again. */
export type MailOutcome = (typeof MAIL_OUTCOMES)[number];

interface MailPorts {
  addresses: Pick<MailAddresses, 'claim' | 'nextDueMs' | 'recordSent' | 'recordFailure'>;
  changes: Pick<MailChanges, 'since'>;
  triggers: Pick<TriggerRuns, 'errorLines'>;
  configuration: ApiConfiguration;
  clock: Clock;
  /** The time of day; all times that are due are compared with it. */
  now: () => Date;
  /** @throws RelayError */
  send: (mail: Mail, relay: MailSection) => Promise<void>;
  random: () => number;
  onOutcome: (outcome: MailOutcome) => void;
}

/**
 * Sends mails that are due, one after the other. A claim in the row keeps other processes from the same mail; one that
 * dies between the relay and the row sends the same mail again, with the same Message-ID.
 */
export class MailSender implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('MailSender');
  private readonly name = `${hostname()}-${process.pid}-${randomUUID()}`;
  private readonly loop: WorkLoop;
  private relayFailures = 0;

  constructor(private readonly ports: MailPorts) {
    this.loop = new WorkLoop(ports.clock, () => this.step());
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  /** Look now. */
  wake(): void {
    this.loop.wake();
  }

  /** A mail that is sent soon is recorded; another process sends any other again. */
  async beforeApplicationShutdown(): Promise<void> {
    await waitAtMost(this.loop.stop(), LAST_MAIL_MS, this.ports.clock);
  }

  /** @returns milliseconds until the next look */
  private async step(): Promise<number> {
    const { addresses, configuration, now } = this.ports;
    const { mail: relay, publicUrl, serviceName: name } = configuration.server;
    if (!relay || publicUrl === undefined) return LOOK_EVERY_MS;
    try {
      const sender = { name: this.name, claimMs: relay.timeoutMs + CLAIM_MARGIN_MS };
      const due = await addresses.claim(sender, now());
      if (!due) return await this.untilLookMs();
      return await this.serve(due, relay, { name, base: publicUrl });
    } catch (error) {
      this.logger.warn(`no mail could be sent: ${String(error)}`);
      return LOOK_EVERY_MS;
    }
  }

  private async untilLookMs(): Promise<number> {
    const dueMs = await this.ports.addresses.nextDueMs(this.ports.now());
    return Math.min(Math.max(dueMs ?? LOOK_EVERY_MS, LOOK_GAP_MS), LOOK_EVERY_MS);
  }

  /** @returns milliseconds until the next mail may be sent */
  private async serve(due: DueMail, relay: MailSection, service: MailOrigin): Promise<number> {
    const { addresses, now, onOutcome } = this.ports;
    const { mail, until } =
      due.confirmToken === null ? await this.digest(due, service) : this.confirmation(due, service);
    try {
      if (mail) await this.ports.send(mail, relay);
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
      return this.recordFailure(due, error);
    }
    this.relayFailures = 0;
    await addresses.recordSent(
      due.userId,
      this.name,
      until,
      due.confirmToken === null ? nextMailAt(due.period, now()) : null,
    );
    if (mail) onOutcome('sent');
    return 0;
  }

  private async recordFailure(due: DueMail, { message, isRefusal }: RelayError): Promise<number> {
    const { addresses, now, random, onOutcome } = this.ports;
    const pauseMs = scatterPause(growingPauseMs(RETRY_MIN_MS, RETRY_MAX_MS, due.failures + 1), random());
    await addresses.recordFailure(due.userId, this.name, { error: message, isRefusal, pauseMs }, now());
    onOutcome(isRefusal ? 'refused' : 'failed');
    if (isRefusal) return 0;
    this.logger.warn(`the mail relay failed: ${message}`);
    this.relayFailures += 1;
    return growingPauseMs(RELAY_PAUSE_MIN_MS, RELAY_PAUSE_MAX_MS, this.relayFailures);
  }

  /** The mail with what has changed; null if nothing has. */
  private async digest(due: DueMail, service: MailOrigin): Promise<{ mail: Mail | null; until: Date }> {
    const { changes: store, triggers } = this.ports;
    const changes = await store.since(due.mailedUntil, due);
    const runIds = [...changes.places, ...changes.runs].map(({ runId }) => runId);
    const entries = digestOf(changes, runIds.length === 0 ? new Map() : await triggers.errorLines(runIds));
    const { until } = changes;
    if (entries.length === 0) return { mail: null, until };
    const unsubscribeUrl = `${service.base}/mail/unsubscribe/${due.token}`;
    const links = { settingsUrl: `${service.base}/user/${due.userName}/packages`, unsubscribeUrl };
    const text = digestText(entries, due.mailedUntil, service, links);
    const id = `digest.${due.userId}.${due.mailedUntil.getTime()}`;
    return { mail: { ...text, from: service.name, to: due.address, id, unsubscribeUrl }, until };
  }

  /** The mail that confirms an address; null if its link would be too old. */
  private confirmation(due: DueMail, service: MailOrigin): { mail: Mail | null; until: Date } {
    const until = due.mailedUntil;
    if (this.ports.now().getTime() - until.getTime() > CONFIRM_HOURS_MAX * HOUR_MS)
      return { mail: null, until };
    const text = confirmText(due.userName, service, `${service.base}/mail/confirm/${due.confirmToken}`);
    return {
      mail: {
        ...text,
        from: service.name,
        to: due.address,
        id: `confirm.${due.userId}.${until.getTime()}`,
        unsubscribeUrl: null,
      },
      until,
    };
  }
}
