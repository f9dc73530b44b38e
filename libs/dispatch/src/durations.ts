import type { DispatchedRun, RunOutcome } from './journal-records';
import type { DispatchSettings } from './settings';

/** The weight of the latest run of a package against all earlier ones. */
const LATEST_WEIGHT = 0.3;

/**
 * The maximum number of packages in memory, for one architecture. Above it, the package with the oldest update is
 * removed.
 */
export const PACKAGES_REMEMBERED_MAX = 50_000;

/** How long runs take, learned from finished public runs: a moving average of each package, in milliseconds. */
export class Durations {
  private readonly averages = new Map<string, number>();
  private sumMs = 0;

  /**
   * @param loaded durations, the latest at the end
   * @param settings returns the settings in use at the moment of the call
   */
  constructor(
    loaded: readonly { package: string; durationMs: number }[],
    private readonly settings: () => Pick<DispatchSettings, 'unknownDurationMs'>,
    private readonly packagesMax = PACKAGES_REMEMBERED_MAX,
  ) {
    for (const entry of loaded) this.set(entry.package, entry.durationMs);
  }

  /** Nothing is learned from private runs, since the averages are shown with public runs. */
  learnFrom(
    { package: name, isPrivate }: Pick<DispatchedRun, 'package' | 'isPrivate'>,
    { durationSeconds }: Pick<RunOutcome, 'durationSeconds'>,
  ): void {
    if (durationSeconds !== null && !isPrivate) this.learn(name, durationSeconds * 1000);
  }

  learn(packageName: string, durationMs: number): void {
    const average = this.averages.get(packageName);
    this.set(
      packageName,
      average === undefined ? durationMs : average + LATEST_WEIGHT * (durationMs - average),
    );
  }

  /** Whole milliseconds, so that a sum is exact again when its parts are subtracted. */
  expectedMs(packageName: string): number {
    return Math.round(this.averages.get(packageName) ?? this.meanMs);
  }

  /** The mean duration of all known packages. */
  get meanMs(): number {
    return this.averages.size === 0 ? this.settings().unknownDurationMs : this.sumMs / this.averages.size;
  }

  private set(packageName: string, durationMs: number): void {
    this.remove(packageName);
    this.sumMs += durationMs;
    this.averages.set(packageName, durationMs);
    // A Map keeps the order of insertion.
    const [oldest] = this.averages.keys();
    if (this.averages.size > this.packagesMax && oldest !== undefined) this.remove(oldest);
  }

  private remove(packageName: string): void {
    this.sumMs -= this.averages.get(packageName) ?? 0;
    this.averages.delete(packageName);
  }
}
