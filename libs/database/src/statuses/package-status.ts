import type { PackageVerdict } from '@proctor/contracts';

/** So many runs are looked at: the strip, flakiness and durations are of them. */
export const WINDOW = 30;

/** From this share of changes in the window on a package is flaky, until there are fewer than the other. */
const FLAKY_FROM = 0.2;
const STEADY_BELOW = 0.1;

/** It takes longer when the median of the newest is so much more than that of those before them. */
const NEWEST_TIMED = 5;
const EARLIER_TIMED = 20;
const LONGER_BY = 1.5;

/** In the order of what a digit of the strip says; rows hold these numbers. */
const STRIP_VERDICTS = ['pass', 'neutral', 'fail', 'tmpfail'] as const satisfies readonly PackageVerdict[];
const NEW_VERSION = 4;
const PINNED = 8;

/** What a digit of the strip is made of. */
export interface StripRun {
  verdict: PackageVerdict;
  /** `n/a` where it is not known. */
  version: string;
  /** With pins or extra sources. */
  isPinned: boolean;
}

/** One run of the strip. */
export interface StripEntry {
  verdict: PackageVerdict;
  /** Its version is another than the last one known before it. */
  isNewVersion: boolean;
  isPinned: boolean;
}

/** @param runs oldest first. @returns a hexadecimal digit each */
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

/** Oldest first. */
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

/** A run that says how the package is, and no tmpfail. */
export interface SayingRun {
  verdict: PackageVerdict;
  version: string;
  durationSeconds: number | null;
}

export interface Flakiness {
  /** Changes between pass and fail among the last 30 runs, of neighbours of one version, as a share of 30. */
  flakiness: number;
  isFlaky: boolean;
}

/** @param runs oldest first: twice the window, so that what was flaky is known without being kept */
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

export interface TestDurations {
  /** Of the last 30 runs that have a duration; null when there is none. */
  medianSeconds: number | null;
  p95Seconds: number | null;
  /** The median of the last 5 is more than 1.5 times that of the 20 before. */
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

/** The smallest value that at least this share of the values does not exceed; null of none. */
function quantile(values: number[], share: number): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? null;
}
