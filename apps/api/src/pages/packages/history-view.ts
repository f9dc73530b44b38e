import type { NeutralStatus } from '@proctor/contracts';
import type { PackageStatus, RemovedRunsOfMonth, RunRecord } from '@proctor/database';
import type { ApiConfiguration } from '../../configuration.token';
import { historyQuery, type HistoryParameters } from '../../public-data/history-filter';
import { monthObjects } from '../../public-data/month-object';
import type { PackagePlace } from '../../public-data/public-runs.service';
import { historyPath, runPath } from '../../runs/page-paths';
import { removalSentences } from '../../runs/removed-files';
import { endWord } from '../../runs/result-object';
import { point } from '../layout/chart';
import { packageLinks } from '../layout/package-links';
import { durationWords, packageSentence } from '../layout/sentence';
import { secondsInWords } from '../layout/times';
import { runView } from '../runs/run-view';
import { absencesIn, placeState } from './package-view';
import { markup, type Html } from '../layout/html';

const [BAR, HEIGHT] = [8, 60];
const BARS_MAX = 90;
/** With fewer runs there is no chart. */
const BARS_MIN = 3;

/** The durations of runs as bars that lead to the runs, the oldest first; null for too few runs. @param runs newest first */
export function durationChart(runs: RunRecord[], neutral: NeutralStatus): Html | null {
  const timed = runs.filter(({ durationSeconds }) => durationSeconds !== null).slice(0, BARS_MAX);
  if (timed.length < BARS_MIN) return null;
  const seconds = timed.map(({ durationSeconds }) => durationSeconds!);
  const longest = Math.max(1, ...seconds);
  const textOf = (run: RunRecord): string =>
    `${run.version}: ${endWord(run.verdict, neutral)} in ${secondsInWords(run.durationSeconds!)}`;
  const bars = timed.reverse().map((run, index) => {
    const height = Math.max(1, Math.round((run.durationSeconds! / longest) * HEIGHT));
    const bar = markup`<rect class="${run.verdict}" x="${index * BAR}" y="${HEIGHT - height}" width="${BAR - 2}" height="${height}"/>`;
    const column = { x: index * BAR - 1, width: BAR, height: HEIGHT };
    return markup`${bar}${point({ text: textOf(run), url: runPath(run) }, column, index === timed.length - 1)}`;
  });
  const width = timed.length * BAR;
  const label = `How long these ${timed.length} runs took, newest on the right; the longest ${secondsInWords(longest)}`;
  return markup`<figure class="chart">
<p>${label}</p>
<div class="scroll"><svg class="durations" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" role="group" aria-label="${label}">${bars}</svg></div>
<figcaption>${textOf(timed.at(-1)!)}</figcaption>
</figure>`;
}

/** The query parameters of a history page. */
export interface HistoryPageQuery extends HistoryParameters {
  /** The last run of the previous page; null on the first page. */
  before: number | null;
}

/** The data of a history page: a package on one suite and architecture. */
export interface HistoryData {
  place: PackagePlace;
  /** A page of finished runs, newest first. */
  runs: RunRecord[];
  /** The last run of this page when there is a next one; null on the last page. */
  last: number | null;
  /** Removed runs by month, the newest first; empty unless the oldest run is on this page. */
  removed: RemovedRunsOfMonth[];
  /** The newest run that counts for the status. */
  latest: RunRecord | null;
  unfinished: RunRecord[];
  /** Milliseconds until all waiting runs are expected to be done; null when that is not known. */
  doneInMs: number | null;
  status: PackageStatus | undefined;
}

/** The page of the history of a package on a suite and architecture. */
export function historyView(
  { place, runs, last, removed, latest, unfinished, doneInMs, status }: HistoryData,
  query: HistoryPageQuery,
  words: string[],
  { neutral, packageLinks: links }: Pick<ApiConfiguration['server'], 'neutral' | 'packageLinks'>,
) {
  const { suite, arch, prefix, package: name } = place;
  const historyUrl = historyPath(place);
  const url = (before: number | null): string => historyAddress(place, query, before);
  const running = unfinished.filter(({ state }) => state !== 'queued').length;
  const states = latest ? [placeState(latest, status, neutral)] : [];
  return {
    place,
    asked: query,
    words,
    isFiltered: Boolean(query.status || query.trigger || query.pinned),
    isUnindexed: url(query.before) !== historyUrl,
    sentence: packageSentence(
      states,
      { running, waiting: unfinished.length - running, doneInMs },
      absencesIn(runs),
    ),
    status: states[0]?.status ?? 'never',
    strip: status?.strip ?? [],
    since: status?.failingSince?.version ?? '',
    flags: flagsOf(status),
    durations: status?.durations ? durationWords(status.durations) : '',
    chart: durationChart(runs, neutral),
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
      version: latest?.version ?? null,
    }),
    isNewest: query.before === null,
    historyUrl,
    newestUrl: url(null),
    olderUrl: last === null ? null : url(last),
    jsonUrl: `/data/packages/${suite}/${arch}/${prefix}/${name}/history.json${historyQuery(query, query.before)}`,
    monthsUrl: `/data/packages/${suite}/${arch}/${prefix}/${name}/months.json`,
    feedUrl: `/data/feeds/${prefix}/${name}.xml`,
  };
}

/** The address of a page of a history. @param before the last run of the previous page; null for the newest page */
export function historyAddress(place: PackagePlace, query: HistoryParameters, before: number | null): string {
  return `${historyPath(place)}${historyQuery(query, before)}`;
}

function flagsOf(status: PackageStatus | undefined): { shape: string; words: string }[] {
  return [
    ...(status?.isFlaky ? [{ shape: 'flaky', words: 'flaky' }] : []),
    ...(status?.isLonger ? [{ shape: 'new', words: 'slower than before' }] : []),
  ];
}
