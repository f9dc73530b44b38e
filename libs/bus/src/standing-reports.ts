import { createHash } from 'node:crypto';
import type { Clock } from '@proctor/clock';
import type { Delivery } from './report-intake';
import type { BusLimits } from './limits';

/** A report that is in hand, or was refused and comes again. */
interface StandingReport {
  sequence: number;
  /** How often it failed here. */
  failures: number;
  /** It is delivered again before that, unless the stream has lost it; no time while it is in hand. */
  dueMs: number;
}

/**
 * The reports of one scope that are not settled yet, by their content. Workers repeat a report until somebody answers:
 * while it has to wait, one copy of it is enough.
 */
export class StandingReports {
  private readonly byContent = new Map<string, StandingReport>();

  constructor(
    private readonly limits: BusLimits,
    private readonly clock: Clock,
  ) {}

  /** Whether an earlier copy, which the stream still has, stands for this one. */
  hasEarlierCopy(delivery: Delivery): boolean {
    const known = this.byContent.get(keyOf(delivery));
    return known !== undefined && known.sequence < delivery.sequence && known.dueMs > this.clock.now();
  }

  inHand(delivery: Delivery): void {
    const failures = this.failuresOf(delivery);
    if (this.byContent.size >= this.limits.reportsPendingMax) this.forgetLost();
    this.byContent.set(keyOf(delivery), { sequence: delivery.sequence, failures, dueMs: Infinity });
  }

  /** It comes again after `delayMs`. */
  refused(delivery: Delivery, failures: number, delayMs: number): void {
    if (!this.isKnown(delivery)) return;
    const dueMs = this.clock.now() + delayMs + this.limits.reportAckWaitMs;
    this.byContent.set(keyOf(delivery), { sequence: delivery.sequence, failures, dueMs });
  }

  /** It never comes again. */
  settled(delivery: Delivery): void {
    if (this.isKnown(delivery)) this.byContent.delete(keyOf(delivery));
  }

  failuresOf(delivery: Delivery): number {
    return this.isKnown(delivery) ? this.byContent.get(keyOf(delivery))!.failures : 0;
  }

  private isKnown(delivery: Delivery): boolean {
    return this.byContent.get(keyOf(delivery))?.sequence === delivery.sequence;
  }

  private forgetLost(): void {
    const now = this.clock.now();
    for (const [key, { dueMs }] of this.byContent) if (dueMs <= now) this.byContent.delete(key);
  }
}

function keyOf({ subject, text }: Delivery): string {
  return createHash('sha256').update(`${subject}\n${text}`).digest('base64');
}
