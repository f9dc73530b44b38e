import type { DispatcherAnswer } from '@proctor/contracts';

/** The highest epoch seen of each architecture, by all slots of the worker. */
export class Epochs {
  private readonly highest = new Map<string, number>();

  /** False for the answer of an owner that has been replaced: it must be ignored. */
  accepts({ arch, epoch }: DispatcherAnswer): boolean {
    if (epoch < (this.highest.get(arch) ?? 0)) return false;
    this.highest.set(arch, epoch);
    return true;
  }
}
