import type { LoggerService } from '@nestjs/common';
import type { Clock } from '@proctor/clock';
import type { RequestLimits } from '@proctor/contracts';

export type GateLimits = Omit<RequestLimits, 'shunMinMs' | 'shunMaxMs'>;

/** A request that waits for its turn. */
export interface GatedRequest {
  bytes: number;
  /** It is longer than any request, and never waits. */
  isTooLong?: boolean;
  /** @param notice what its sender should know; absent when it comes in time */
  begin(notice?: string): void;
  /** It is answered with why, and not handled. */
  refuse(why: string): void;
}

/** What may come at once after a pause, in seconds of the rate. */
const BURST_SECONDS = 2;
/** Between two lines of the log about the same sender. */
const TOLD_EVERY_MS = 60_000;
/** Requests that are longer than any, of one sender in a second, before it counts as a flood. */
export const LONG_PER_SECOND_MAX = 2;
/** Answers to refused requests of one sender in a second: those beyond get none. */
const REFUSALS_PER_SECOND_MAX = 10;
/** Senders that are remembered though they have sent nothing of late. */
const SENDERS_MAX = 10_000;

/** Counts within a second. */
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
  toldMs: number;
  late: number;
  refused: number;
}

/**
 * Lets each sender ask so often, and so much. What one asks beyond that waits and is handled late, in order; what has no room
 * to wait is refused. Requests of others pass by.
 */
export class RequestGate {
  private readonly senders = new Map<string, Sender>();

  /** @param flooded is called with each request that is refused */
  constructor(
    private readonly limits: GateLimits,
    private readonly clock: Clock,
    private readonly logger: Pick<LoggerService, 'warn'>,
    private readonly flooded: (sender: string) => void = () => undefined,
  ) {}

  take(sender: string, request: GatedRequest): void {
    const known = this.senderOf(sender);
    this.refill(known);
    const isFlood = request.isTooLong === true && this.counted(known.long) > LONG_PER_SECOND_MAX;
    if (!isFlood && known.waiting.length === 0 && known.requests >= 1 && known.bytes >= 1) {
      this.charge(known, request);
      return request.begin();
    }
    if (request.isTooLong || !this.hasRoom(known)) {
      // Its bytes have come, whether it is handled or not.
      this.charge(known, request);
      this.refuse(sender, known, request);
    } else {
      known.waiting.push(request);
      known.waitingBytes += request.bytes;
      known.late += 1;
      this.tell(sender, known);
      this.beginLater(sender, known);
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

  /** Forgets what waits. */
  close(): void {
    for (const sender of this.senders.values()) sender.waiting.length = 0;
  }

  private beginLater(name: string, sender: Sender): void {
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
        request.begin(this.noticeFor(name));
      }
      this.beginLater(name, sender);
    });
  }

  private refuse(name: string, sender: Sender, request: GatedRequest): void {
    sender.refused += 1;
    this.tell(name, sender);
    if (this.counted(sender.refusals) <= REFUSALS_PER_SECOND_MAX) request.refuse(this.noticeFor(name));
    this.flooded(name);
  }

  private counted(tally: Tally): number {
    const now = this.clock.now();
    if (now - tally.sinceMs >= 1000) Object.assign(tally, { sinceMs: now, count: 0 });
    return (tally.count += 1);
  }

  /** A debt is paid in a second: a flood that is over is forgotten soon. */
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

  /** At once, then once a minute. */
  private tell(name: string, sender: Sender): void {
    const now = this.clock.now();
    if (now - sender.toldMs < TOLD_EVERY_MS) return;
    const counts = `${sender.late} so far were late, ${sender.refused} refused`;
    this.logger.warn(`${this.noticeFor(name)} (${counts}); if it goes on, revoke it`);
    sender.toldMs = now;
  }

  private senderOf(name: string): Sender {
    const known = this.senders.get(name);
    if (known) return known;
    if (this.senders.size >= SENDERS_MAX) this.forgetIdle();
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
      toldMs: -Infinity,
      late: 0,
      refused: 0,
    };
    this.senders.set(name, sender);
    return sender;
  }

  private forgetIdle(): void {
    const idleSinceMs = this.clock.now() - TOLD_EVERY_MS;
    for (const [name, { atMs, waiting }] of this.senders)
      if (waiting.length === 0 && atMs < idleSinceMs) this.senders.delete(name);
  }
}
