import type { LoggerService } from '@nestjs/common';
import type { Clock } from '@proctor/clock';
import type { RequestLimits } from '@proctor/contracts';

type GateLimits = Omit<RequestLimits, 'shunMinMs' | 'shunMaxMs'>;

/** A request that waits for its turn. */
interface GatedRequest {
  bytes: number;
  /** It is longer than any valid request, and never waits. */
  isTooLong?: boolean;
  /** @param notice for the sender; absent when it is handled in time */
  start(notice?: string): void;
  /** Answers it with the reason; it is not handled. */
  refuse(why: string): void;
}

/** Requests that a sender may send at once after a pause, in seconds of its rate. */
const BURST_SECONDS = 2;
/** The shortest interval between two lines of the log about the same sender. */
const LOG_EVERY_MS = 60_000;
/** Requests of one sender in a second that are too long, before it counts as a flood. */
export const LONG_PER_SECOND_MAX = 2;
/** Answers to refused requests of one sender in a second; further ones get none. */
const REFUSALS_PER_SECOND_MAX = 10;
/** Senders that are remembered before idle ones are removed. */
const SENDERS_MAX = 10_000;

/** A count within a second. */
interface Tally {
  sinceMs: number;
  count: number;
}

interface Sender {
  atMs: number;
  requests: number;
  bytes: number;
  waiting: GatedRequest[];
  waitingBytes: number;
  isTimed: boolean;
  refusals: Tally;
  long: Tally;
  loggedMs: number;
  late: number;
  refused: number;
}

/**
 * Limits the rate and bytes of each sender's requests. Requests beyond the limit wait and are handled late, in order;
 * when there is no room to wait they are refused. Requests of other senders pass.
 */
export class RequestGate {
  private readonly senders = new Map<string, Sender>();

  /** @param onFlood is called for each request that is refused */
  constructor(
    private readonly limits: GateLimits,
    private readonly clock: Clock,
    private readonly logger: Pick<LoggerService, 'warn'>,
    private readonly onFlood: (sender: string) => void = () => undefined,
  ) {}

  receive(sender: string, request: GatedRequest): void {
    const entry = this.senderOf(sender);
    this.refill(entry);
    const isFlood = request.isTooLong === true && this.count(entry.long) > LONG_PER_SECOND_MAX;
    if (!isFlood && entry.waiting.length === 0 && entry.requests >= 1 && entry.bytes >= 1) {
      this.charge(entry, request);
      return request.start();
    }
    if (request.isTooLong || !this.hasRoom(entry)) {
      // Its bytes have arrived, whether it is handled or not.
      this.charge(entry, request);
      this.refuse(sender, entry, request);
    } else {
      entry.waiting.push(request);
      entry.waitingBytes += request.bytes;
      entry.late += 1;
      this.logFlood(sender, entry);
      this.startLater(sender, entry);
    }
  }

  /** Why a sender is answered late, for people. */
  noticeFor(sender: string): string {
    const { perSecondMax, bytesPerSecondMax } = this.limits;
    return (
      `${sender} sends more than ${perSecondMax} requests or ${bytesPerSecondMax} bytes a second: ` +
      'it is answered late'
    );
  }

  /** Drops what waits. */
  close(): void {
    for (const sender of this.senders.values()) sender.waiting.length = 0;
  }

  private startLater(name: string, sender: Sender): void {
    if (sender.isTimed || sender.waiting.length === 0) return;
    sender.isTimed = true;
    const { perSecondMax, bytesPerSecondMax } = this.limits;
    const waitMs = Math.max(
      ((1 - sender.requests) * 1000) / perSecondMax,
      ((1 - sender.bytes) * 1000) / bytesPerSecondMax,
      1,
    );
    this.clock.after(Math.ceil(waitMs), () => {
      sender.isTimed = false;
      this.refill(sender);
      while (sender.waiting.length > 0 && sender.requests >= 1 && sender.bytes >= 1) {
        const request = sender.waiting.shift()!;
        sender.waitingBytes -= request.bytes;
        this.charge(sender, request);
        request.start(this.noticeFor(name));
      }
      this.startLater(name, sender);
    });
  }

  private refuse(name: string, sender: Sender, request: GatedRequest): void {
    sender.refused += 1;
    this.logFlood(name, sender);
    if (this.count(sender.refusals) <= REFUSALS_PER_SECOND_MAX) request.refuse(this.noticeFor(name));
    this.onFlood(name);
  }

  private count(tally: Tally): number {
    const now = this.clock.now();
    if (now - tally.sinceMs >= 1000) Object.assign(tally, { sinceMs: now, count: 0 });
    return (tally.count += 1);
  }

  /** The debt is at most one second of the rate: a flood that is over has no long effect. */
  private charge(sender: Sender, { bytes }: GatedRequest): void {
    const { perSecondMax, bytesPerSecondMax } = this.limits;
    sender.requests = Math.max(-perSecondMax, sender.requests - 1);
    sender.bytes = Math.max(-bytesPerSecondMax, sender.bytes - bytes);
  }

  private hasRoom({ waiting, waitingBytes }: Sender): boolean {
    const { lateMax, bytesPerSecondMax } = this.limits;
    return waiting.length < lateMax && waitingBytes < bytesPerSecondMax;
  }

  private refill(sender: Sender): void {
    const now = this.clock.now();
    const seconds = (now - sender.atMs) / 1000;
    const { perSecondMax, bytesPerSecondMax } = this.limits;
    const filled = (has: number, rate: number): number =>
      Math.min(BURST_SECONDS * rate, has + seconds * rate);
    sender.requests = filled(sender.requests, perSecondMax);
    sender.bytes = filled(sender.bytes, bytesPerSecondMax);
    sender.atMs = now;
  }

  /** Logs at once, then once a minute. */
  private logFlood(name: string, sender: Sender): void {
    const now = this.clock.now();
    if (now - sender.loggedMs < LOG_EVERY_MS) return;
    const counts = `${sender.late} so far were late, ${sender.refused} refused`;
    this.logger.warn(`${this.noticeFor(name)} (${counts}); if it goes on, revoke it`);
    sender.loggedMs = now;
  }

  private senderOf(name: string): Sender {
    const before = this.senders.get(name);
    if (before) return before;
    if (this.senders.size >= SENDERS_MAX) this.removeIdle();
    const { perSecondMax, bytesPerSecondMax } = this.limits;
    const sender: Sender = {
      atMs: this.clock.now(),
      requests: BURST_SECONDS * perSecondMax,
      bytes: BURST_SECONDS * bytesPerSecondMax,
      waiting: [],
      waitingBytes: 0,
      isTimed: false,
      refusals: { sinceMs: -Infinity, count: 0 },
      long: { sinceMs: -Infinity, count: 0 },
      loggedMs: -Infinity,
      late: 0,
      refused: 0,
    };
    this.senders.set(name, sender);
    return sender;
  }

  private removeIdle(): void {
    const idleSinceMs = this.clock.now() - LOG_EVERY_MS;
    for (const [name, { atMs, waiting }] of this.senders)
      if (waiting.length === 0 && atMs < idleSinceMs) this.senders.delete(name);
  }
}
