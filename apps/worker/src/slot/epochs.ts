import type { Clock } from '@proctor/clock';
import type { DispatcherAnswer } from '@proctor/contracts';
import type { Log } from '@proctor/process';

/** Fewer answers of a lower epoch may all come from a replaced owner, however late. */
const LOWER_ANSWERS_MIN = 3;

/** The epochs of one architecture. */
interface SeenEpochs {
  highest: number;
  /** Answers with lower epochs since the last other one. */
  lower: { count: number; sinceMs: number } | null;
}

interface EpochsParts {
  clock: Clock;
  log: Log;
  /** How long answers with only lower epochs are ignored; read at each use. */
  lowerEpochWaitMs: () => number;
}

/**
 * The epochs of each architecture, from the answers to all slots of the worker. An answer with a lower epoch comes from
 * a replaced owner. If no other answer comes for a while, there is no newer owner: the database was restored to an
 * earlier moment, and the epochs count from there.
 */
export class Epochs {
  private readonly histories = new Map<string, SeenEpochs>();

  constructor(private readonly parts: EpochsParts) {}

  /** False for the answer of a replaced owner: it must be ignored. */
  accepts({ arch, epoch }: DispatcherAnswer): boolean {
    const history = this.histories.get(arch);
    if (history && epoch < history.highest && !this.isRestored(arch, epoch, history)) return false;
    this.histories.set(arch, { highest: epoch, lower: null });
    return true;
  }

  private isRestored(arch: string, epoch: number, history: SeenEpochs): boolean {
    const { clock, log, lowerEpochWaitMs } = this.parts;
    const about = `answers for ${arch} have epoch ${epoch}, lower than ${history.highest}`;
    if (!history.lower) {
      log.warn(`${about}: they are ignored, as those of an owner that was replaced`);
      history.lower = { count: 0, sinceMs: clock.now() };
    }
    history.lower.count += 1;
    const isLasting = clock.now() - history.lower.sinceMs >= lowerEpochWaitMs();
    if (!isLasting || history.lower.count < LOWER_ANSWERS_MIN) return false;
    log.warn(
      `${about}, and no others come: the database was restored or failed over, so they count from now on`,
    );
    return true;
  }
}
