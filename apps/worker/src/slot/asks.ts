import { within } from '@proctor/clock';
import { grantName, type Lease, type LeaseReply, type SlotIdentity } from '@proctor/contracts';
import { returnLease } from './return-lease';
import { RELEASE } from './release';
import type { SlotParts } from './slot-parts';

/** Once work is waiting, an answer that took longer may be lost, its dispatcher replaced: the slot asks a second time. */
const HURRIED_REPLY_MS = 1_000;

/** Attempts executed here of late that are remembered. */
const EXECUTED_MAX = 100;

/** A lease on its way back. */
interface Return {
  confirmed: Promise<boolean>;
  /** The number of the last ask before it was confirmed; Infinity until then. */
  lastAsk: number;
}

/** What an ask of the slot says beside who it is and what it offers. */
type AskDetails = Pick<Parameters<SlotParts['client']['request']>[1], 'canary' | 'onlyHeld'>;

/**
 * The asks of one slot, and what becomes of each answer, however late it comes. While the slot is free it takes a grant from
 * any of them, so that a dispatcher may be slow; all other grants go back at once.
 */
export class Asks {
  /** The grant that the slot executes, or is about to. */
  private current: Lease | null = null;
  private isOpen = false;
  /** Ends the wait for an answer, with the answer if there is one. */
  private end: (reply: LeaseReply | null) => void = () => undefined;
  private second: () => void = () => undefined;
  private count = 0;
  private refused = 0;
  /** Architecture → its asks in a row whose answer did not come in time or was hidden, and the number of the last of them. */
  private readonly lost = new Map<string, { inARow: number; last: number }>();
  /** Architecture → why the last ask was not answered. */
  private readonly troubles = new Map<string, string>();
  private readonly returns = new Map<string, Return>();
  /** Attempts that ended here → the number of the last ask before that, and whether they may begin again. */
  private readonly executed = new Map<string, { number: number; mayBegin: boolean }>();

  constructor(
    private readonly identity: SlotIdentity,
    private readonly parts: SlotParts,
    /** A grant was taken, by whichever ask. */
    private readonly onGrant: () => void,
  ) {}

  /** The slot is free: it takes the next grant that an answer has. */
  open(): void {
    this.isOpen = true;
  }

  /** The slot takes nothing more, until it is opened again. */
  close(): void {
    this.isOpen = false;
  }

  /** The grant that was taken, if any; the slot is closed by it. */
  get grant(): Lease | null {
    return this.current;
  }

  /**
   * The grant's execution is over.
   * @param mayBegin it did not begin: if its return was lost, the same grant may be taken again
   */
  onEnd(lease: Lease, mayBegin: boolean): void {
    this.current = null;
    this.executed.set(key(lease), { number: this.count, mayBegin });
    const [oldest] = this.executed.keys();
    if (this.executed.size > EXECUTED_MAX && oldest !== undefined) this.executed.delete(oldest);
  }

  /** Work is waiting: an ask that has no answer yet is made a second time soon. */
  askAgainSoon(): void {
    this.second();
  }

  /** Grants in a row, by whatever answer, that went back unexecuted. */
  get refusedInARow(): number {
    return this.refused;
  }

  /** The asks in a row whose answer did not come in time, or was hidden by another. */
  lostInARow(arch: string): number {
    return this.lost.get(arch)?.inARow ?? 0;
  }

  /**
   * Asks one architecture for work. The answer, or null when none came in time, it is not to be used, or another one
   * brought a grant meanwhile.
   */
  requestLease(arch: string, details: AskDetails = {}): Promise<LeaseReply | null> {
    const { clock, settings } = this.parts;
    const sentMs = clock.now();
    return new Promise((resolve) => {
      let pending = 0;
      let cancelSecond = () => undefined as void;
      const finish = (reply: LeaseReply | null) => {
        cancelTimeout();
        cancelSecond();
        this.second = () => undefined;
        this.end = () => undefined;
        resolve(reply);
      };
      const send = () => {
        pending += 1;
        void this.send(arch, details).then((reply) => {
          pending -= 1;
          if (this.end !== finish || (!isReply(reply) && pending > 0)) return;
          if (reply === 'hidden') this.countLoss(arch);
          finish(isReply(reply) ? reply : null);
        });
      };
      const cancelTimeout = clock.after(settings.replyTimeoutMs, () => {
        this.countLoss(arch);
        finish(null);
      });
      this.end = finish;
      this.second = () => {
        this.second = () => undefined;
        cancelSecond = clock.after(Math.max(0, sentMs + HURRIED_REPLY_MS - clock.now()), send);
      };
      send();
    });
  }

  /**
   * An architecture whose answer was lost may have granted something to this slot, which executes a grant of another one:
   * asks it until that is known, so that the lease goes back and does not expire.
   */
  async settle(): Promise<void> {
    const { clock, settings } = this.parts;
    const lease = this.current;
    await Promise.all(
      [...this.lost.keys()].map(async (arch) => {
        while (this.lost.has(arch) && this.current === lease && lease !== null && lease.arch !== arch) {
          await this.requestHeld(arch);
          if (this.lost.has(arch))
            await new Promise<void>((resolve) => clock.after(settings.retryMs, resolve));
        }
      }),
    );
  }

  /**
   * Asks for nothing but what the slot has there already.
   * @returns whether an answer came in time; never rejects
   */
  async requestHeld(arch: string): Promise<boolean> {
    const { clock, settings } = this.parts;
    return isReply(await within(this.send(arch, { onlyHeld: true }), settings.replyTimeoutMs, clock));
  }

  /**
   * The slot takes nothing more, and asks each architecture whose answer was lost what that granted: handed back, it can be
   * granted to others at once; else it is a lost attempt once the worker is started again.
   */
  async requestLost(): Promise<void> {
    const { clock, settings } = this.parts;
    const asks = [...this.lost.keys()].map((arch) => this.send(arch, { onlyHeld: true }));
    await within(Promise.all(asks), settings.stopTimeoutMs, clock);
    this.lost.clear();
  }

  /** Resolves when nothing is on its way back any more. */
  async waitForReturns(): Promise<void> {
    await Promise.all([...this.returns.values()].map(({ confirmed }) => confirmed));
  }

  private countLoss(arch: string): void {
    this.lost.set(arch, { inARow: this.lostInARow(arch) + 1, last: this.count });
  }

  /**
   * Sends one ask and looks at its answer. Never rejects.
   * @returns null when the answer is not to be used; `hidden` when what came first may have hidden the owner's answer, as an
   * error does, or the answer of an owner that was replaced
   */
  private async send(arch: string, details: AskDetails): Promise<LeaseReply | 'hidden' | null> {
    const { client, notices, outbox, testbeds } = this.parts;
    const ask = this.parts.newAskId();
    const number = ++this.count;
    const offer = testbeds.currentOffer(arch);
    const kept = outbox.listWaiting(arch);
    const busyElsewhere = this.parts.busy.elsewhere(arch);
    const what = {
      ...offer,
      ...(kept.length > 0 && { kept }),
      ...(busyElsewhere.length > 0 && { busyElsewhere }),
      ...details,
    };
    try {
      const previous = [...this.parts.previous];
      const reply = await client.request(arch, { ...this.identity, ...RELEASE, previous, ask, ...what });
      this.troubles.delete(arch);
      if (reply.arch !== arch || reply.ask !== ask)
        return this.refuse(reply, number, 'it answers another ask');
      if (!this.parts.epochs.accepts(reply)) {
        this.refuse(reply, number, 'its dispatcher was replaced');
        return 'hidden';
      }
      this.parts.standings.onAnswer(reply);
      this.parts.busy.onAnswer(reply);
      if (number >= (this.lost.get(arch)?.last ?? 0)) this.lost.delete(arch);
      notices.onAnswer(arch, reply);
      if (reply.wanted.length > 0) this.parts.testbeds.requestTestbeds(arch, reply.wanted);
      if (reply.lease && offer.problem !== undefined) return this.refuse(reply, number, offer.problem);
      return await this.acceptGrant(reply, number);
    } catch (error) {
      this.warn(arch, String(error));
      return 'hidden';
    }
  }

  /** Takes the grant of an answer, or sees that it goes back. */
  private async acceptGrant(reply: LeaseReply, number: number): Promise<LeaseReply | null> {
    const { lease } = reply;
    if (!lease) return reply;
    // Granted a second time, since its return was still under way; only when that is not confirmed may it be executed.
    const wasExecuted = this.executed.get(key(lease))?.mayBegin === false;
    const returned = this.returns.get(key(lease));
    if (returned && (await returned.confirmed)) {
      if (!wasExecuted || number <= returned.lastAsk) return { ...reply, lease: null, askAgainMs: 0 };
      // Its owner knew of the return before this ask, and has forgotten it, as after a restore of the database.
      this.returns.delete(key(lease));
    }
    // Its owner has slept since it granted it, and does not know yet that it was replaced.
    if (wasExecuted) return this.refuse(reply, number, 'it was executed here');
    if (!this.isOpen || this.wasExecuted(lease, number))
      return this.refuse(reply, number, 'the slot is not free');
    this.isOpen = false;
    this.current = lease;
    this.refused = 0;
    this.returns.clear();
    const { end } = this;
    this.onGrant();
    end(reply);
    return reply;
  }

  /** Nothing of the answer is used; its lease goes back, unless it is one that the slot has or had. */
  private refuse({ lease }: LeaseReply, number: number, reason: string): null {
    if (!lease || this.returns.has(key(lease)) || this.wasExecuted(lease, number)) return null;
    if (this.current === null || key(this.current) !== key(lease)) this.returnLease(lease, reason);
    return null;
  }

  /** Whether an answer is so late that the attempt which it grants has ended here since its ask. */
  private wasExecuted(lease: Lease, number: number): boolean {
    return number <= (this.executed.get(key(lease))?.number ?? 0);
  }

  private returnLease(lease: Lease, reason: string): void {
    const { identity, parts } = this;
    parts.log.warn(`run ${lease.runId} attempt ${lease.attempt} goes back: ${reason}`);
    this.refused += 1;
    const confirmed = returnLease(identity, lease, reason, parts.settings.replyTimeoutMs, parts).then(
      (is) => {
        if (is) returned.lastAsk = this.count;
        else this.returns.delete(key(lease));
        return is;
      },
    );
    const returned: Return = { confirmed, lastAsk: Infinity };
    this.returns.set(key(lease), returned);
  }

  /** Once for as long as it is the same: it asks every few seconds. */
  private warn(arch: string, why: string): void {
    if (this.troubles.get(arch) !== why) this.parts.log.warn(`no answer for ${arch}: ${why}`);
    this.troubles.set(arch, why);
  }
}

function isReply(reply: LeaseReply | 'hidden' | null): reply is LeaseReply {
  return typeof reply === 'object' && reply !== null;
}

function key(lease: Lease): string {
  return grantName(lease, '/');
}
