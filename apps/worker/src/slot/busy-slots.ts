import type { Clock } from '@proctor/clock';
import type { LeaseReply } from '@proctor/contracts';

/** A slot that executes something. */
interface BusySlot {
  number: number;
  /** Of what it executes. */
  arch: string;
  /** It executes a public run: others may know that it is busy. */
  isPublic: boolean;
  /** The architectures that it may ask meanwhile. */
  others: readonly string[];
  /** Asks one of them without taking anything. False when no answer came; never rejects. */
  request(arch: string): Promise<boolean>;
}

/**
 * The slots of a worker that are busy. While all are, none asks for work, and only the dispatcher of the architecture that a
 * slot executes hears of the worker: the others are asked all the same, now and then, so that they do not take it for dead.
 */
export class BusySlots {
  private readonly busy = new Map<number, BusySlot>();
  /** Architecture → when it should hear of the worker again. */
  private readonly dueMs = new Map<string, number>();
  private readonly pending = new Set<string>();
  private cancel = (): void => undefined;

  constructor(
    private readonly architectures: readonly string[],
    private readonly slots: number,
    private readonly clock: Clock,
    /** Pause after an ask that was not answered. */
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

  /** A dispatcher has answered an ask of one of the slots. */
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
