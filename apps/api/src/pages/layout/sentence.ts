import { estimateInWords, secondsInWords } from './times';

/** The state of a package on one suite and architecture, for a sentence. */
export interface PlaceState {
  suite: string;
  arch: string;
  status: 'pass' | 'fail' | 'tmpfail' | 'neutral';
  /** The first failed run after the last pass; null when the package does not fail. */
  failingSince: { version: string; date: Date } | null;
  isFlaky: boolean;
}

/** The number of unfinished runs. */
interface UnderWay {
  waiting: number;
  running: number;
}

/** The number of unfinished runs, and the time until they are done. */
interface ExpectedWork extends UnderWay {
  /** Milliseconds until all waiting runs are expected to be done; null when that is not known. */
  doneInMs: number | null;
}

const PLACES_NAMED_MAX = 4;
const BEGINNINGS_NAMED_MAX = 3;

/**
 * The state of a package in one or more sentences; page, title, feed and badge have the same words. It has no
 * ages: except for the expected times of runs that wait, it stays as it is while nothing changes.
 * @param absences the messages of runs that did not find the package
 */
export function packageSentence(
  places: PlaceState[],
  underWay: ExpectedWork,
  absences: string[] = [],
): string {
  const failing = places.filter(({ status }) => status === 'fail');
  const broken = places.filter(({ status }) => status === 'tmpfail');
  const flaky = places.filter(({ isFlaky }) => isFlaky);
  return [
    places.length === 0 ? nothingSentence(absences) : '',
    failing.length > 0 ? failureSentence(failing, places.length) : passSentence(places, broken.length),
    broken.length > 0 ? `Could not be tested on ${namesOf(broken)}.` : '',
    flaky.length > 0 ? `Flaky on ${namesOf(flaky)}.` : '',
    expectedSentence(underWay),
  ]
    .filter(Boolean)
    .join(' ');
}

/** `Nothing was tested here: sid has no source package helo.` */
function nothingSentence(absences: string[]): string {
  if (absences.length === 0) return 'No public run of this package has finished here yet.';
  return `Nothing was tested here: ${[...new Set(absences)].slice(0, PLACES_NAMED_MAX).join('; ')}.`;
}

/**
 * `Fails on 2 of 14 since 2.10-3 (2026-11-19): unstable/arm64, testing/arm64.`, or with several beginnings
 * `Fails on 2 of 14: since 3-1 (2026-11-20) on unstable/arm64; since 2.10-3 (2026-11-19) on testing/arm64.`
 */
function failureSentence(failing: PlaceState[], placeCount: number): string {
  const on = placeCount === 1 ? '' : ` on ${failing.length} of ${placeCount}`;
  const beginnings = beginningsOf(failing);
  if (beginnings.length === 1) {
    const [{ first, places }] = beginnings as [Beginning];
    return `Fails${on}${first ? ` since ${sinceWords(first)}` : ''}: ${namesOf(places)}.`;
  }
  const parts = beginnings
    .slice(0, BEGINNINGS_NAMED_MAX)
    .map(({ first, places }) => `${first ? `since ${sinceWords(first)} ` : ''}on ${namesOf(places)}`);
  const more = beginnings.slice(BEGINNINGS_NAMED_MAX).flatMap(({ places }) => places).length;
  return `Fails${on}: ${parts.join('; ')}${more > 0 ? `; and on ${more} more` : ''}.`;
}

/** Places that fail since the same version. */
interface Beginning {
  /** The oldest of their first failures; null when it is not known. */
  first: PlaceState['failingSince'];
  places: PlaceState[];
}

/** The newest first; those without a known version last. */
function beginningsOf(failing: PlaceState[]): Beginning[] {
  const byVersion = new Map<string | null, Beginning>();
  const timeOf = (first: PlaceState['failingSince']): number => first?.date.getTime() ?? 0;
  for (const place of failing) {
    const { failingSince } = place;
    const same = byVersion.get(failingSince?.version ?? null);
    if (!same) byVersion.set(failingSince?.version ?? null, { first: failingSince, places: [place] });
    else {
      same.places.push(place);
      if (timeOf(failingSince) < timeOf(same.first)) same.first = failingSince;
    }
  }
  return [...byVersion.values()].sort((one, other) => timeOf(other.first) - timeOf(one.first));
}

function passSentence(places: PlaceState[], brokenCount: number): string {
  const passing = places.length - brokenCount;
  if (passing === 0) return '';
  if (places.length === 1) return `Passes on ${namesOf(places)}.`;
  return brokenCount === 0 ? `Passes on all ${places.length}.` : `Passes on ${passing} of ${places.length}.`;
}

/** `2.10-3 (2026-11-19)` */
export function sinceWords({ version, date }: { version: string; date: Date }): string {
  return `${version} (${date.toISOString().slice(0, 10)})`;
}

/** `3 runs are waiting, done in about 20 min.` */
function expectedSentence({ waiting, running, doneInMs }: ExpectedWork): string {
  const sentence = underWaySentence({ waiting, running });
  if (waiting === 0 || doneInMs === null) return sentence;
  return `${sentence.slice(0, -1)}, done in ${estimateInWords(doneInMs / 1_000)}.`;
}

/** `3 runs are waiting, 1 is running.`; empty without any. */
export function underWaySentence({ waiting, running }: UnderWay): string {
  const are = (count: number): string => (count === 1 ? 'is' : 'are');
  const wait = waiting === 0 ? '' : `${runCount(waiting)} ${are(waiting)} waiting`;
  if (running === 0) return wait && `${wait}.`;
  const run = `${wait ? running : runCount(running)} ${are(running)} running.`;
  return wait ? `${wait}, ${run}` : run;
}

function runCount(runs: number): string {
  return runs === 1 ? '1 run' : `${runs} runs`;
}

function namesOf(places: PlaceState[]): string {
  const names = places.slice(0, PLACES_NAMED_MAX).map(({ suite, arch }) => `${suite}/${arch}`);
  const rest = places.length - names.length;
  return names.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** The state in a few words for a badge, and the status that sets its colour. */
export function badgeWords(places: PlaceState[]): { status: PlaceState['status'] | 'never'; words: string } {
  const failing = places.filter(({ status }) => status === 'fail').length;
  const broken = places.filter(({ status }) => status === 'tmpfail').length;
  const of = (count: number): string => (places.length === 1 ? '' : ` on ${count} of ${places.length}`);
  if (places.length === 0) return { status: 'never', words: 'not tested' };
  if (failing > 0) return { status: 'fail', words: `fail${of(failing)}` };
  if (broken > 0) return { status: 'tmpfail', words: `tmpfail${of(broken)}` };
  return { status: 'pass', words: 'pass' };
}

/** The durations of the last runs on a place, in words. */
export function durationWords({
  medianSeconds,
  p95Seconds,
}: {
  medianSeconds: number;
  p95Seconds: number;
}): string {
  return `Usually ${secondsInWords(medianSeconds)}; at most ${secondsInWords(p95Seconds)} (95 %).`;
}
