import type { Clock } from '@proctor/clock';
import type { LeaseReply } from '@proctor/contracts';

/** A slot that executes something. */
interface BusySlot {
  number: number;
  /** Architecture of what it executes. */
  arch: string;
  /** It executes a public run: other dispatchers may know that it is busy. */
  isPublic: boolean;
  /** The architectures to which the slot may send requests while it waits. */
  others: readonly string[];
  /** Sends a request to one of them without accepting a grant. False when no answer came; never rejects. */
  request(arch: string): Promise<boolean>;
}

/**
 * The busy slots of a worker. While all are busy none requests work, and only the dispatchers of their own
 * architectures get messages of the worker. The others get a request at intervals all the same, so that they do not
 * treat the worker as dead.
 */
export class BusySlots {
  private readonly busy = new Map<number, BusySlot>();
  /** Architecture → when its dispatcher should get the next message. */
  private readonly dueMs = new Map<string, number>();
  private readonly pending = new Set<string>();
  private cancel = (): void => undefined;

  constructor(
    private readonly architectures: readonly string[],
    private readonly slots: number,
    private readonly clock: Clock,
    /** Pause after an unanswered request. */
    private readonly retryMs: number,
  ) {}

  add(slot: BusySlot): void {
    this.busy.set(slot.number, slot);
    for (const arch of slot.others)
      if (!this.dueMs.has(arch)) this.dueMs.set(arch, this.clock.now() + this.retryMs);
    this.schedule();
  }

  remove(number: number): void {
    this.busy.delete(number);
    this.schedule();
  }

  /** A dispatcher has answered a request of one of the slots. */
  onAnswer({ arch, askAgainMs }: Pick<LeaseReply, 'arch' | 'askAgainMs'>): void {
    this.dueMs.set(arch, this.clock.now() + askAgainMs);
    this.schedule();
  }

  /** The numbers of the slots that execute public runs of other architectures. */
  elsewhere(arch: string): number[] {
    return [...this.busy.values()]
      .filter((slot) => slot.isPublic && slot.arch !== arch)
      .map(({ number }) => number);
  }

  private schedule(): void {
    this.cancel();
    if (this.busy.size < this.slots) return;
    const unasked = this.architectures.filter((arch) => !this.pending.has(arch) && this.slotFor(arch));
    const nextMs = Math.min(...unasked.map((arch) => this.dueMs.get(arch)!));
    if (!Number.isFinite(nextMs)) return;
    this.cancel = this.clock.after(Math.max(0, nextMs - this.clock.now()), () => {
      for (const arch of unasked) if (this.dueMs.get(arch)! <= this.clock.now()) void this.requestOf(arch);
      this.schedule();
    });
  }

  private async requestOf(arch: string): Promise<void> {
    this.pending.add(arch);
    const isAnswered = await this.slotFor(arch)?.request(arch);
    this.pending.delete(arch);
    const retryAtMs = this.clock.now() + this.retryMs;
    if (!isAnswered) this.dueMs.set(arch, Math.max(this.dueMs.get(arch)!, retryAtMs));
    this.schedule();
  }

  private slotFor(arch: string): BusySlot | undefined {
    return [...this.busy.values()].find(({ others }) => others.includes(arch));
  }
}
