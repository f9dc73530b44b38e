import { describe, type RunRequest, type Verdict } from '@proctor/contracts';
import type { SlicedWork } from '../http/slices';
import type { DatedSourceList } from './known-sources';
import type { SourceList } from './source-list';

/** How many packages one answer names; others are only counted. */
export const NAMED_MAX = 10;
/** How many packages are checked in one request, with those of pins. */
export const SEARCHES_MAX = 100_000;
/** How many packages are looked up between two pauses. */
const SEARCHES_AT_ONCE = 50;
/** A list that was confirmed within this time needs no date. */
const FRESH_MS = 24 * 60 * 60 * 1000;

/** A package and where to search it. A run without that package has said so itself; that is not repeated. */
type RequestOfRun = Pick<RunRequest, 'package' | 'suite' | 'arch' | 'pinPackages' | 'extraAptSources'> & {
  verdict?: Verdict | null;
};

/** The known packages of suites. */
interface SourceLists {
  of(suite: string, arch: string): DatedSourceList | null;
}

/** A source package, and the suite that should have it. */
interface SourceSearch {
  name: string;
  suite: string;
  arch: string;
  /** The pin that names it. */
  pin?: string;
  isReported?: boolean;
}

/**
 * A sentence for each source package that is missing in its suite, tested or pinned. There is none if other sources
 * may provide it, or nothing is known of the suite.
 */
export function* sourceWarnings(runs: readonly RequestOfRun[], lists: SourceLists): SlicedWork<string[]> {
  const listsByPlace = new Map<string, DatedSourceList | null>();
  const unknown = new Map<string, { search: SourceSearch; list: DatedSourceList }>();
  let count = 0;
  for (const search of searchesOf(runs)) {
    const { name, suite, arch, pin } = search;
    count += 1;
    if (count % SEARCHES_AT_ONCE === 0) yield;
    if (count > SEARCHES_MAX) break;
    const place = `${suite}/${arch}`;
    if (!listsByPlace.has(place)) listsByPlace.set(place, lists.of(suite, arch));
    const list = listsByPlace.get(place);
    if (list && !list.list.has(name)) unknown.set(`${suite} ${pin ?? name}`, { search, list });
  }
  const sentences: string[] = [];
  for (const { search, list } of [...unknown.values()].slice(0, NAMED_MAX))
    sentences.push(...(yield* sentencesOf(search, list)));
  const more = unknown.size - NAMED_MAX;
  if (more > 0) sentences.push(`${more} more source packages are in none of the suites that were asked for.`);
  return sentences;
}

/**
 * A pin may bring the package itself from another suite. Binary packages of pins may have names of no source package.
 */
function* searchesOf(runs: readonly RequestOfRun[]): Iterable<SourceSearch> {
  for (const { package: name, suite, arch, pinPackages, extraAptSources, verdict } of runs) {
    if (extraAptSources.length > 0) continue;
    if (pinPackages.length === 0) yield { name, suite, arch, isReported: verdict === 'absent' };
    for (const [spec, of] of pinPackages)
      for (const pin of spec.split(','))
        if (pin.startsWith('src:')) yield { name: pin.slice('src:'.length), suite: of, arch, pin };
  }
}

/** No sentence if the run says the same. */
function* sentencesOf(search: SourceSearch, { list, seenAt }: DatedSourceList): SlicedWork<string[]> {
  const { name, suite, pin, isReported } = search;
  const hint = yield* hintOf(name, list);
  if (isReported) return hint === null ? [] : [hint.replace(/^did /, 'Did ')];
  const what = pin === undefined ? '' : `, which the pin ${describe(pin)} names`;
  const isFresh = Date.now() - seenAt.getTime() <= FRESH_MS;
  const date = isFresh ? '' : `, as of ${seenAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return [
    `${suite} has no source package ${describe(name)}${what}${date}${hint === null ? '.' : `; ${hint}`}`,
  ];
}

/** The name that was probably meant; null if no name is similar. */
function* hintOf(name: string, list: SourceList): SlicedWork<string | null> {
  const sources = list.sourcesOfBinary(name);
  if (sources.length > 0)
    return `${name} is a binary package of the source ${inWords(sources.slice(0, 3), 'and')}.`;
  const near = yield* list.near(name);
  const names = near.map((each) => describe(each));
  return near.length === 0 ? null : `did you mean ${inWords(names, 'or')}?`;
}

function inWords(words: string[], joint: 'and' | 'or'): string {
  const last = words.at(-1)!;
  return words.length === 1 ? last : `${words.slice(0, -1).join(', ')} ${joint} ${last}`;
}
