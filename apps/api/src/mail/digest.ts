import type { EndedRun, FollowedChanges, PlaceChange } from '@proctor/database';
import { packagePath, shortRunPath } from '../runs/page-paths';
import { triggerPath } from '../runs/trigger.service';

/** One entry of a mail. */
export interface DigestEntry {
  text: string;
  /** The line of a log with the error; null if there is none. */
  errorLine: string | null;
  /** The page about it. */
  path: string;
}

/** The mail has at most so many entries. */
export const ENTRIES_MAX = 100;

const WORDS = {
  began: 'began to fail',
  differently: 'fails in another way',
  again: 'passes again',
} as const;
type Change = keyof typeof WORDS;

/**
 * What has changed on a place. A package that still fails with the same error is not a change: it is mailed again only
 * after it has passed or failed in another way.
 */
export function changeOf(place: PlaceChange): Change | null {
  const failedBefore = place.verdictBefore === 'fail';
  if (place.verdict !== 'fail') return failedBefore ? 'again' : null;
  if (!failedBefore) return 'began';
  return place.errorSignature === place.errorSignatureBefore ? null : 'differently';
}

/**
 * The entries of a mail: followed triggers and runs first, then packages; a package with the same change and error on
 * several places is one entry.
 * @param errorLines by the ids of runs
 */
export function digestOf(
  { places, runs, triggers }: FollowedChanges,
  errorLines: ReadonlyMap<number, string>,
): DigestEntry[] {
  return [
    ...triggers.map((name) => ({
      text: `All tests of ${name} have ended`,
      errorLine: null,
      path: triggerPath(name),
    })),
    ...runs.map((run) => ({
      text: `Run ${run.runId} of ${run.package} on ${placeOf(run)} ${endOf(run)}`,
      errorLine: errorLines.get(run.runId) ?? null,
      path: shortRunPath(run.runId),
    })),
    ...groupsOf(places).map(([change, [first, ...others]]) => ({
      text: `${first.package} ${first.version} ${WORDS[change]} on ${[first, ...others].map(placeOf).join(', ')}`,
      errorLine: change === 'again' ? null : (errorLines.get(first.runId) ?? null),
      path: others.length === 0 ? shortRunPath(first.runId) : packagePath(first.package),
    })),
  ];
}

function groupsOf(places: PlaceChange[]): [Change, [PlaceChange, ...PlaceChange[]]][] {
  const groups = new Map<string, [Change, [PlaceChange, ...PlaceChange[]]]>();
  for (const place of places) {
    const change = changeOf(place);
    if (change === null) continue;
    const signature = change === 'again' ? null : place.errorSignature;
    const key = JSON.stringify([place.package, place.version, change, signature]);
    const group = groups.get(key);
    if (group) group[1].push(place);
    else groups.set(key, [change, [place]]);
  }
  return [...groups.values()];
}

function placeOf({ suite, arch }: { suite: string; arch: string }): string {
  return `${suite}/${arch}`;
}

function endOf({ verdict, cancelled }: EndedRun): string {
  return cancelled ? 'was cancelled' : `has ended: ${verdict}`;
}
