import { waitAtMost } from '@proctor/clock';
import {
  grantName,
  type Lease,
  type LeaseReply,
  type SlotIdentity,
  PROTOCOL,
  WORKER_FEATURES,
  type LeaseRequest,
} from '@proctor/contracts';
import { returnLease } from './return-lease';
import type { SlotParts } from './slot-parts';
import { VERSION } from '@proctor/process';

/** The part of each lease request that describes this program. */
const RELEASE: Pick<LeaseRequest, 'protocol' | 'features' | 'version' | 'wakeable'> = {
  protocol: PROTOCOL,
  features: [...WORKER_FEATURES],
  version: VERSION,
  wakeable: true,
};

/**
 * After a signal of work, a request that takes longer may be lost and its dispatcher replaced: the slot sends a second
 * one.
 */
const HURRIED_REPLY_MS = 1_000;

/** How many executed attempts are remembered. */
const EXECUTED_MAX = 100;

/** A lease that is being returned. */
interface Return {
  confirmed: Promise<boolean>;
  /** The number of the last request before the confirmation; Infinity until then. */
  lastRequest: number;
}

/** The fields of a request apart from the identity and the offer of the slot. */
type RequestDetails = Pick<Parameters<SlotParts['client']['request']>[1], 'canary' | 'onlyHeld'>;

/**
 * The lease requests of one slot and their answers, however late these come. A free slot accepts a grant from any of
 * them, so a dispatcher may be slow; all other grants are returned at once.
 */
export class LeaseRequests {
  /** The grant that the slot executes, or is about to execute. */
  private current: Lease | null = null;
  private isOpen = false;
  /** Ends the wait for an answer, with the answer if any. */
  private end: (reply: LeaseReply | null) => void = () => undefined;
  private sendSecond: () => void = () => undefined;
  private count = 0;
  private refusals = 0;
  /** Architecture → how many requests in a row had no answer in time, or a hidden one; and the last one's number. */
  private readonly losses = new Map<string, { inARow: number; last: number }>();
  /** Architecture → why the last request was not answered. */
  private readonly troubles = new Map<string, string>();
  private readonly returns = new Map<string, Return>();
  /** Attempts that ended here → the number of the last request before that, and whether they may start again. */
  private readonly executed = new Map<string, { number: number; mayBegin: boolean }>();

  constructor(
    private readonly identity: SlotIdentity,
    private readonly parts: SlotParts,
    /** Called when a grant was accepted, from any request. */
    private readonly onGrant: () => void,
  ) {}

  /** The slot is free: it accepts the next grant. */
  open(): void {
    this.isOpen = true;
  }

  /** The slot accepts nothing until it is opened again. */
  close(): void {
    this.isOpen = false;
  }

  /** The accepted grant, if any; it closes the slot. */
  get grant(): Lease | null {
    return this.current;
  }

  /**
   * The execution of the grant is over.
   * @param mayBegin true if the attempt did not start: if its return was lost, the same grant may be accepted again
   */
  onEnd(lease: Lease, mayBegin: boolean): void {
    this.current = null;
    this.executed.set(key(lease), { number: this.count, mayBegin });
    const [oldest] = this.executed.keys();
    if (this.executed.size > EXECUTED_MAX && oldest !== undefined) this.executed.delete(oldest);
  }

  /** Work is waiting: a request without an answer is sent a second time soon. */
  repeatSoon(): void {
    this.sendSecond();
  }

  /** Grants in a row that were returned without execution. */
  get refusedInARow(): number {
    return this.refusals;
  }

  /** Requests in a row whose answer did not come in time, or was hidden by another. */
  lostInARow(arch: string): number {
    return this.losses.get(arch)?.inARow ?? 0;
  }

  /**
   * Requests work from one architecture. Resolves with the answer; with null if none came in time, it cannot be used,
   * or another answer brought a grant before it.
   */
  requestLease(arch: string, details: RequestDetails = {}): Promise<LeaseReply | null> {
    const { clock, settings } = this.parts;
    const sentMs = clock.now();
    return new Promise((resolve) => {
      let pending = 0;
      let cancelSecond = () => undefined as void;
      const finish = (reply: LeaseReply | null) => {
        cancelTimeout();
        cancelSecond();
        this.sendSecond = () => undefined;
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
      this.sendSecond = () => {
        this.sendSecond = () => undefined;
        cancelSecond = clock.after(Math.max(0, sentMs + HURRIED_REPLY_MS - clock.now()), send);
      };
      send();
    });
  }

  /**
   * If the answer of another architecture was lost, its dispatcher may have granted a second lease to this busy slot.
   * Requests that lease until an answer comes or the execution ends, so that the lease is returned and does not expire.
   */
  async settle(): Promise<void> {
    const { clock, settings } = this.parts;
    const lease = this.current;
    await Promise.all(
      [...this.losses.keys()].map(async (arch) => {
        while (this.losses.has(arch) && this.current === lease && lease !== null && lease.arch !== arch) {
          await this.requestHeld(arch);
          if (this.losses.has(arch))
            await new Promise<void>((resolve) => clock.after(settings.retryMs, resolve));
        }
      }),
    );
  }

  /**
   * Requests only the lease that was granted to the slot already.
   * @returns whether an answer came in time; never rejects
   */
  async requestHeld(arch: string): Promise<boolean> {
    const { clock, settings } = this.parts;
    return isReply(await waitAtMost(this.send(arch, { onlyHeld: true }), settings.replyTimeoutMs, clock));
  }

  /**
   * Requests the leases of lost answers, for a slot that accepts none now. They are returned, so that other slots can get
   * these runs at once. Without this, the attempts would be lost when the worker starts again.
   */
  async requestLost(): Promise<void> {
    const { clock, settings } = this.parts;
    const requests = [...this.losses.keys()].map((arch) => this.send(arch, { onlyHeld: true }));
    await waitAtMost(Promise.all(requests), settings.stopTimeoutMs, clock);
    this.losses.clear();
  }

  /** Resolves when all returns are done. */
  async waitForReturns(): Promise<void> {
    await Promise.all([...this.returns.values()].map(({ confirmed }) => confirmed));
  }

  private countLoss(arch: string): void {
    this.losses.set(arch, { inARow: this.lostInARow(arch) + 1, last: this.count });
  }

  /**
   * Sends one request and handles its answer. Never rejects.
   * @returns null when the answer cannot be used; `hidden` when it may have hidden the owner's answer: an error, or the
   * answer of an owner that was replaced
   */
  private async send(arch: string, details: RequestDetails): Promise<LeaseReply | 'hidden' | null> {
    const { client, notices, outbox, testbeds } = this.parts;
    const askId = this.parts.newAskId();
    const number = ++this.count;
    const offer = testbeds.currentOffer(arch);
    const results = outbox.listWaiting(arch);
    const busyElsewhere = this.parts.busy.elsewhere(arch);
    const fields = {
      ...offer,
      ...(results.length > 0 && { kept: results }),
      ...(busyElsewhere.length > 0 && { busyElsewhere }),
      ...details,
    };
    try {
      const previous = [...this.parts.previous];
      const reply = await client.request(arch, {
        ...this.identity,
        ...RELEASE,
        previous,
        ask: askId,
        ...fields,
      });
      this.troubles.delete(arch);
      if (reply.arch !== arch || reply.ask !== askId)
        return this.refuse(reply, number, 'it answers another request');
      if (!this.parts.epochs.accepts(reply)) {
        this.refuse(reply, number, 'its dispatcher was replaced');
        return 'hidden';
      }
      this.parts.standings.onAnswer(reply);
      this.parts.busy.onAnswer(reply);
      if (number >= (this.losses.get(arch)?.last ?? 0)) this.losses.delete(arch);
      notices.onAnswer(arch, reply);
      if (reply.wanted.length > 0) this.parts.testbeds.requestTestbeds(arch, reply.wanted);
      if (reply.lease && offer.problem !== undefined) return this.refuse(reply, number, offer.problem);
      return await this.acceptGrant(reply, number);
    } catch (error) {
      this.warn(arch, String(error));
      return 'hidden';
    }
  }

  /** Accepts the grant of an answer, or returns it. */
  private async acceptGrant(reply: LeaseReply, number: number): Promise<LeaseReply | null> {
    const { lease } = reply;
    if (!lease) return reply;
    // The lease was granted again before its return was done. It may be executed only if the return is not confirmed.
    const hasStarted = this.executed.get(key(lease))?.mayBegin === false;
    const returned = this.returns.get(key(lease));
    if (returned && (await returned.confirmed)) {
      if (!hasStarted || number <= returned.lastRequest) return { ...reply, lease: null, askAgainMs: 0 };
      // Its owner knew the return before this request, and has lost it, for example by a restore of the database.
      this.returns.delete(key(lease));
    }
    // The dispatcher that sent this was paused since the grant and does not know yet that it was replaced.
    if (hasStarted) return this.refuse(reply, number, 'it was executed here');
    if (!this.isOpen || this.hasEndedSince(lease, number))
      return this.refuse(reply, number, 'the slot is not free');
    this.isOpen = false;
    this.current = lease;
    this.refusals = 0;
    this.returns.clear();
    const { end } = this;
    this.onGrant();
    end(reply);
    return reply;
  }

  /** Ignores the answer; its lease is returned, unless the slot has or had it. */
  private refuse({ lease }: LeaseReply, number: number, reason: string): null {
    if (!lease || this.returns.has(key(lease)) || this.hasEndedSince(lease, number)) return null;
    if (this.current === null || key(this.current) !== key(lease)) this.returnLease(lease, reason);
    return null;
  }

  /** Whether the attempt ended here after the request that this late answer belongs to. */
  private hasEndedSince(lease: Lease, number: number): boolean {
    return number <= (this.executed.get(key(lease))?.number ?? 0);
  }

  private returnLease(lease: Lease, reason: string): void {
    const { identity, parts } = this;
    parts.log.warn(`run ${lease.runId} attempt ${lease.attempt} goes back: ${reason}`);
    this.refusals += 1;
    const confirmed = returnLease(identity, lease, reason, parts.settings.replyTimeoutMs, parts).then(
      (isConfirmed) => {
        if (isConfirmed) returned.lastRequest = this.count;
        else this.returns.delete(key(lease));
        return isConfirmed;
      },
    );
    const returned: Return = { confirmed, lastRequest: Infinity };
    this.returns.set(key(lease), returned);
  }

  /** Logs the same reason once: requests are sent every few seconds. */
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
