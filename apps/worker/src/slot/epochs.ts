import type { Clock } from '@proctor/clock';
import type { DispatcherAnswer } from '@proctor/contracts';
import type { Log } from '@proctor/process';

/** Fewer answers of a lower epoch, however late the last came, may all be those of an owner that was replaced. */
const LOWER_ANSWERS_MIN = 3;

/** What was heard of one architecture. */
interface Heard {
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
  private readonly heard = new Map<string, Heard>();

  constructor(private readonly parts: EpochsParts) {}

  /** False for the answer of an owner that has been replaced: it must be ignored. */
  accepts({ arch, epoch }: DispatcherAnswer): boolean {
    const heard = this.heard.get(arch);
    if (heard && epoch < heard.highest && !this.isRestored(arch, epoch, heard)) return false;
    this.heard.set(arch, { highest: epoch, lower: null });
    return true;
  }

  private isRestored(arch: string, epoch: number, heard: Heard): boolean {
    const { clock, log, lowerEpochWaitMs } = this.parts;
    const about = `answers for ${arch} have epoch ${epoch}, lower than ${heard.highest}`;
    if (!heard.lower) {
      log.warn(`${about}: they are ignored, as those of an owner that was replaced`);
      heard.lower = { count: 0, sinceMs: clock.now() };
    }
    heard.lower.count += 1;
    const isLasting = clock.now() - heard.lower.sinceMs >= lowerEpochWaitMs();
    if (!isLasting || heard.lower.count < LOWER_ANSWERS_MIN) return false;
    log.warn(
      `${about}, and no others come: the database was restored or failed over, so they count from now on`,
    );
    return true;
  }
}
