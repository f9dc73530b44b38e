import type { SlotIdentity } from '@proctor/contracts';
import { growingPauseMs } from '@proctor/pauses';

/** How long a slot rests after two hand-backs in a row; twice as long after each further one. */
const REST_FIRST_MS = 1_000;
const REST_MAX_MS = 60_000;

/** How many slots are in memory; the one with the oldest hand-back is removed first. */
const SLOTS_MAX = 10_000;

/** The hand-backs of a slot. Times are monotonic milliseconds of the dispatcher's clock. */
interface HandedBackTo {
  incarnation: string;
  inARow: number;
  restsUntilMs: number;
}

/**
 * Slots that hand back their leases before the tests started. Such a slot rests before its next run, longer each
 * time. Otherwise slot and dispatcher would exchange the same run as fast as messages travel.
 */
export class HandBacks {
  private readonly slots = new Map<string, HandedBackTo>();

  recordHandBack(slot: SlotIdentity, now: number): void {
    const previous = this.of(slot);
    const inARow = (previous?.inARow ?? 0) + 1;
    const restMs = inARow === 1 ? 0 : growingPauseMs(REST_FIRST_MS, REST_MAX_MS, inARow - 1);
    this.slots.delete(nameOf(slot));
    this.slots.set(nameOf(slot), { incarnation: slot.incarnation, inARow, restsUntilMs: now + restMs });
    const [oldest] = this.slots.keys();
    if (this.slots.size > SLOTS_MAX && oldest !== undefined) this.slots.delete(oldest);
  }

  /** The slot has started a test, so the count of its hand-backs starts again. */
  recordStart(slot: SlotIdentity): void {
    this.slots.delete(nameOf(slot));
  }

  /** How long the slot still rests, in milliseconds. */
  restMs(slot: SlotIdentity, now: number): number {
    return Math.max(0, (this.of(slot)?.restsUntilMs ?? now) - now);
  }

  /** The hand-backs of the slot in this life of its worker: a restart may have repaired it. */
  private of(slot: SlotIdentity): HandedBackTo | undefined {
    const entry = this.slots.get(nameOf(slot));
    return entry?.incarnation === slot.incarnation ? entry : undefined;
  }
}

function nameOf({ worker, slot }: SlotIdentity): string {
  return `${worker}/${slot}`;
}
