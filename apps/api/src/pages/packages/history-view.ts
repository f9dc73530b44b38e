import type { PackageStatus, RemovedRunsOfMonth, RunRecord } from '@proctor/database';
import type { ApiConfiguration } from '../../configuration.token';
import { historyQuery, type HistoryWanted } from '../../public-data/history-filter';
import { monthObjects } from '../../public-data/month-object';
import type { PackagePlace } from '../../public-data/public-runs.service';
import { historyPath } from '../../runs/page-paths';
import { removalSentences } from '../../runs/removed-files';
import { packageLinks } from '../layout/package-links';
import { durationWords, packageSentence } from '../layout/sentence';
import { secondsInWords } from '../layout/times';
import { runView } from '../runs/run-view';
import { durationChart } from './duration-chart';
import { absencesIn, placeState } from './package-view';

/** What the parameters of a history's address ask for. */
export interface HistoryAsked extends HistoryWanted {
  /** The last run of the page before; null on the first. */
  before: number | null;
}

/** What is known of a package on one suite and architecture. */
export interface HistoryKnown {
  place: PackagePlace;
  /** A page of finished runs, newest first. */
  runs: RunRecord[];
  hasOlder: boolean;
  /** Of runs that were removed, the newest month first; empty unless the oldest run is on this page. */
  removed: RemovedRunsOfMonth[];
  /** The newest run that tells how the package is. */
  latest: RunRecord | null;
  unfinished: RunRecord[];
  /** Until those that wait are done; null where that is not known. */
  doneInMs: number | null;
  kept: PackageStatus | undefined;
}

/** The history of a package on a suite and architecture, as the interface describes its columns. */
export function historyView(
  { place, runs, hasOlder, removed, latest, unfinished, doneInMs, kept }: HistoryKnown,
  asked: HistoryAsked,
  words: string[],
  { neutral, packageLinks: links }: Pick<ApiConfiguration['server'], 'neutral' | 'packageLinks'>,
) {
  const { suite, arch, prefix, package: name } = place;
  const historyUrl = historyPath(place);
  const url = (before: number | null): string => historyAddress(place, asked, before);
  const running = unfinished.filter(({ state }) => state !== 'queued').length;
  const states = latest ? [placeState(latest, kept, neutral)] : [];
  return {
    place,
    asked,
    words,
    isFiltered: Boolean(asked.status || asked.trigger || asked.pinned),
    isUnindexed: url(asked.before) !== historyUrl,
    sentence: packageSentence(
      states,
      { running, waiting: unfinished.length - running, doneInMs },
      absencesIn(runs),
    ),
    status: states[0]?.status ?? 'never',
    strip: kept?.strip ?? [],
    since: kept?.failingSince?.version ?? '',
    flags: flagsOf(kept),
    durations: kept?.durations ? durationWords(kept.durations) : '',
    chart: durationChart(runs, 'durations'),
    unfinished: unfinished.map((run) => runView(run, neutral)),
    runs: runs.map((run) => ({
      ...runView(run, neutral),
      retryUrl: `/api/v1/retry/${run.runId}`,
      removals: removalSentences(run),
    })),
    months: monthObjects(removed).map((month) => ({
      ...month,
      took: month.average_duration_seconds === null ? '' : secondsInWords(month.average_duration_seconds),
    })),
    links: packageLinks(links, {
      package: name,
      suite,
      arch,
      version: latest && latest.version !== 'n/a' ? latest.version : null,
    }),
    isNewest: asked.before === null,
    historyUrl,
    newestUrl: url(null),
    olderUrl: hasOlder ? url(runs.at(-1)!.runId) : null,
    jsonUrl: `/data/packages/${suite}/${arch}/${prefix}/${name}/history.json${historyQuery(asked, asked.before)}`,
    monthsUrl: `/data/packages/${suite}/${arch}/${prefix}/${name}/months.json`,
    feedUrl: `/data/feeds/${prefix}/${name}.xml`,
  };
}

/** The address of a history's part. @param before the last run of the part before; null for the newest */
export function historyAddress(place: PackagePlace, wanted: HistoryWanted, before: number | null): string {
  return `${historyPath(place)}${historyQuery(wanted, before)}`;
}

function flagsOf(kept: PackageStatus | undefined): { shape: string; words: string }[] {
  return [
    ...(kept?.isFlaky ? [{ shape: 'flaky', words: 'flaky' }] : []),
    ...(kept?.isLonger ? [{ shape: 'new', words: 'takes longer than it did' }] : []),
  ];
}
