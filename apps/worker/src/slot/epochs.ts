import type { Clock } from '@proctor/clock';
import type { DispatcherAnswer } from '@proctor/contracts';
import type { Log } from '@proctor/process';

/** Fewer answers of a lower epoch, however late the last came, may all be those of an owner that was replaced. */
const LOWER_ANSWERS_MIN = 3;

/** What was heard of one architecture. */
interface SeenEpochs {
  highest: number;
  /** Answers of lower epochs since the last other one. */
  lower: { count: number; sinceMs: number } | null;
}

export interface EpochsParts {
  clock: Clock;
  log: Log;
  /** How long answers of lower epochs alone are ignored, at this moment. */
  lowerEpochWaitMs: () => number;
}

/**
 * The epochs of each architecture, as all slots of the worker have seen them. An answer of a lower epoch comes from an owner
 * that has been replaced. If no other answer comes for a while, there is no newer owner: the database was restored to an
 * earlier moment, and the epochs count from there.
 */
export class Epochs {
  private readonly seen = new Map<string, SeenEpochs>();

  constructor(private readonly parts: EpochsParts) {}

  /** False for the answer of an owner that has been replaced: it must be ignored. */
  accepts({ arch, epoch }: DispatcherAnswer): boolean {
    const seen = this.seen.get(arch);
    if (seen && epoch < seen.highest && !this.isRestored(arch, epoch, seen)) return false;
    this.seen.set(arch, { highest: epoch, lower: null });
    return true;
  }

  private isRestored(arch: string, epoch: number, seen: SeenEpochs): boolean {
    const { clock, log, lowerEpochWaitMs } = this.parts;
    const about = `answers for ${arch} have epoch ${epoch}, lower than ${seen.highest}`;
    if (!seen.lower) {
      log.warn(`${about}: they are ignored, as those of an owner that was replaced`);
      seen.lower = { count: 0, sinceMs: clock.now() };
    }
    seen.lower.count += 1;
    const isLasting = clock.now() - seen.lower.sinceMs >= lowerEpochWaitMs();
    if (!isLasting || seen.lower.count < LOWER_ANSWERS_MIN) return false;
    log.warn(
      `${about}, and no others come: the database was restored or failed over, so they count from now on`,
    );
    return true;
  }
}
