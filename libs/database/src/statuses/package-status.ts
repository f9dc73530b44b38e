import type { PackageVerdict } from '@proctor/contracts';

/** The number of runs from which the strip, flakiness and durations are computed. */
export const WINDOW = 30;

/**
 * A package becomes flaky at this share of changes in the window, and stays so until the share is below STEADY_BELOW.
 */
const FLAKY_FROM = 0.2;
const STEADY_BELOW = 0.1;

/** A package takes longer if the median of its newest durations is LONGER_BY times that of the earlier ones. */
const NEWEST_TIMED = 5;
const EARLIER_TIMED = 20;
const LONGER_BY = 1.5;

/** The verdicts in the order of their numbers in a digit of the strip; rows contain these numbers. */
const STRIP_VERDICTS = ['pass', 'neutral', 'fail', 'tmpfail'] as const satisfies readonly PackageVerdict[];
const NEW_VERSION = 4;
const PINNED = 8;

/** The run behind a digit of the strip. */
interface StripRun {
  verdict: PackageVerdict;
  /** The version of the package; `n/a` if unknown. */
  version: string;
  /** Whether it had pins or extra sources. */
  isPinned: boolean;
}

/** One run of the strip. */
export interface StripEntry {
  verdict: PackageVerdict;
  /** Whether its version differs from the last known one before it. */
  isNewVersion: boolean;
  isPinned: boolean;
}

/** @param runs oldest first @returns a hexadecimal digit for each run */
export function encodedStrip(runs: StripRun[]): string {
  let before: string | null = null;
  let strip = '';
  for (const { verdict, version, isPinned } of runs) {
    const isNewVersion = version !== 'n/a' && before !== null && version !== before;
    if (version !== 'n/a') before = version;
    const digit =
      STRIP_VERDICTS.indexOf(verdict) + (isNewVersion ? NEW_VERSION : 0) + (isPinned ? PINNED : 0);
    strip += digit.toString(16);
  }
  return strip.slice(-WINDOW);
}

/** The entries of a strip, oldest first. */
export function stripEntries(strip: string): StripEntry[] {
  return [...strip].map((character) => {
    const digit = Number.parseInt(character, 16);
    return {
      verdict: STRIP_VERDICTS[digit % NEW_VERSION]!,
      isNewVersion: (digit & NEW_VERSION) !== 0,
      isPinned: (digit & PINNED) !== 0,
    };
  });
}

/** A run that counts for the status and is no tmpfail. */
export interface SayingRun {
  verdict: PackageVerdict;
  version: string;
  durationSeconds: number | null;
}

interface Flakiness {
  /** Changes between pass and fail among the last 30 runs, of neighbours of one version, as a share of 30. */
  flakiness: number;
  isFlaky: boolean;
}

/** @param runs oldest first: twice the window, so that earlier flakiness is found without being stored */
export function flakinessOf(runs: SayingRun[]): Flakiness {
  const isChange = runs.map((run, place) => {
    const before = runs[place - 1];
    return (
      before !== undefined &&
      before.version === run.version &&
      (before.verdict === 'fail') !== (run.verdict === 'fail')
    );
  });
  let flakiness = 0;
  let isFlaky = false;
  for (const place of runs.keys()) {
    // The first run of a window is compared with none before it.
    const changes = isChange.slice(Math.max(0, place - WINDOW + 1) + 1, place + 1).filter(Boolean).length;
    flakiness = changes / WINDOW;
    if (flakiness >= FLAKY_FROM) isFlaky = true;
    else if (flakiness < STEADY_BELOW) isFlaky = false;
  }
  return { flakiness, isFlaky };
}

interface TestDurations {
  /** The median of the last 30 runs that have a duration; null if there are none. */
  medianSeconds: number | null;
  p95Seconds: number | null;
  /** Whether the median of the last 5 is more than 1.5 times that of the 20 before. */
  isLonger: boolean;
}

/** @param runs oldest first */
export function durationsOf(runs: SayingRun[]): TestDurations {
  const seconds = runs.flatMap(({ durationSeconds }) => durationSeconds ?? []).slice(-WINDOW);
  const newest = seconds.slice(-NEWEST_TIMED);
  const earlier = seconds.slice(0, -NEWEST_TIMED).slice(-EARLIER_TIMED);
  return {
    medianSeconds: quantile(seconds, 0.5),
    p95Seconds: quantile(seconds, 0.95),
    isLonger: earlier.length >= NEWEST_TIMED && quantile(newest, 0.5)! > LONGER_BY * quantile(earlier, 0.5)!,
  };
}

/** The smallest value that at least this share of the values does not exceed; null without values. */
function quantile(values: number[], share: number): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? null;
}
