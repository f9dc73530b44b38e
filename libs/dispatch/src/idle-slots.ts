import type { LeaseRequest, SlotIdentity } from '@proctor/contracts';
import { isWakeable } from './releases';

/** The slots that got nothing at their last request and wait for a signal; the ones idle longest come first. */
export class IdleSlots {
  private readonly byWorker = new Map<string, { incarnation: string; slots: Set<number> }>();
  private total = 0;

  get count(): number {
    return this.total;
  }

  /** Removes a slot that requests a lease or gets a signal. */
  remove({ worker, slot }: Pick<SlotIdentity, 'worker' | 'slot'>): void {
    const idle = this.byWorker.get(worker);
    if (idle?.slots.delete(slot)) this.total -= 1;
    if (idle?.slots.size === 0) this.byWorker.delete(worker);
  }

  add(request: LeaseRequest): void {
    const { worker, incarnation, slot } = request;
    if (!isWakeable(request)) return;
    const entry = this.byWorker.get(worker);
    if (entry && entry.incarnation !== incarnation) this.removeWorker(worker);
    const slots = this.byWorker.get(worker)?.slots ?? new Set();
    this.byWorker.delete(worker);
    this.byWorker.set(worker, { incarnation, slots: slots.add(slot) });
    this.total += 1;
  }

  removeWorker(worker: string): void {
    this.total -= this.byWorker.get(worker)?.slots.size ?? 0;
    this.byWorker.delete(worker);
  }

  /** The workers with idle slots, and the numbers of these slots. */
  entries(): [string, number[]][] {
    return [...this.byWorker].map(([worker, { slots }]) => [worker, [...slots]]);
  }
}
