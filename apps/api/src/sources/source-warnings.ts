import { describe, type RunRequest, type Verdict } from '@proctor/contracts';
import type { SlicedWork } from '../http/slices';
import type { DatedSourceList } from './known-sources';
import type { SourceList } from './source-list';

/** Packages that one answer names; of others it says how many there are. */
export const NAMED_MAX = 10;
/** Runs between two rests. */
const RUNS_AT_ONCE = 50;
/** A list that was seen to be right within this time needs no date. */
const FRESH_MS = 24 * 60 * 60 * 1000;

/** Where a package is looked for; of a run that did not find it, what it says already is not said again. */
type Asked = Pick<RunRequest, 'package' | 'suite' | 'arch' | 'pinPackages' | 'extraAptSources'> & {
  verdict?: Verdict | null;
};

/** What is known of the packages of suites. */
export interface SourceLists {
  of(suite: string, arch: string): DatedSourceList | null;
}

/**
 * A sentence for each package that its suite does not have. Where other sources may bring it, or nothing is known of the suite,
 * there is none.
 */
export function* sourceWarnings(runs: readonly Asked[], lists: SourceLists): SlicedWork<string[]> {
  const known = new Map<string, DatedSourceList | null>();
  const unknown = new Map<string, { asked: Asked; list: DatedSourceList }>();
  for (const [index, run] of runs.entries()) {
    if (index % RUNS_AT_ONCE === 0) yield;
    const place = `${run.suite}/${run.arch}`;
    if (!known.has(place)) known.set(place, lists.of(run.suite, run.arch));
    const list = known.get(place);
    if (list && isMissing(run, list)) unknown.set(`${run.suite} ${run.package}`, { asked: run, list });
  }
  const sentences: string[] = [];
  for (const { asked, list } of [...unknown.values()].slice(0, NAMED_MAX))
    sentences.push(...(yield* sentencesOf(asked, list)));
  const more = unknown.size - NAMED_MAX;
  if (more > 0) sentences.push(`${more} more source packages are in none of the suites that were asked for.`);
  return sentences;
}

function isMissing(run: Asked, { list }: DatedSourceList): boolean {
  return run.pinPackages.length === 0 && run.extraAptSources.length === 0 && !list.has(run.package);
}

/** None where there is nothing to add to what the run says. */
function* sentencesOf(asked: Asked, { list, seenAt }: DatedSourceList): SlicedWork<string[]> {
  const { package: name, suite } = asked;
  const hint = yield* hintOf(name, list);
  if (asked.verdict === 'absent') return hint === null ? [] : [hint.replace(/^did /, 'Did ')];
  const isFresh = Date.now() - seenAt.getTime() <= FRESH_MS;
  const date = isFresh ? '' : `, as of ${seenAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return [`${suite} has no source package ${describe(name)}${date}${hint === null ? '.' : `; ${hint}`}`];
}

/** What may have been meant; null when nothing is near. */
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
