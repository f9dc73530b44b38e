import { packagePrefix } from '@proctor/contracts';
import type { NeutralStatus } from '@proctor/contracts';
import type { PackageStatus, RunRecord } from '@proctor/database';
import type { ApiConfiguration } from '../../configuration.token';
import { packagePath } from '../../runs/page-paths';
import { statusOf } from '../../runs/result-object';
import type { MatrixPlace } from '../layout/matrix';
import { packageLinks } from '../layout/package-links';
import { packageSentence } from '../layout/sentence';
import type { PlaceState } from '../layout/sentence';
import { runView } from '../runs/run-view';
import { type FailingPlace, failureCards, failureView } from './failure-view';

/** The data that all pages of a package use. */
export interface PackageData {
  name: string;
  /** The newest run that counts for the status, one for each suite and architecture with such a run. */
  latest: RunRecord[];
  /** Stored statuses. They are updated about a second after a run ends, so one may be missing or out of date. */
  statuses: PackageStatus[];
  unfinished: RunRecord[];
  /** The newest run that did not find the package, one for each place without a run that counts. */
  absent: RunRecord[];
}

/** The data that only the main page of a package uses. */
export interface PackageDetails {
  failures: FailingPlace[];
  /** Milliseconds until all waiting runs are expected to be done; null when that is not known. */
  doneInMs: number | null;
  /** A sentence for each suite that does not have the package. */
  missing: string[];
}

type Targets = Pick<ApiConfiguration['server'], 'suites' | 'architectures' | 'neutral' | 'packageLinks'>;

/** The page of a package: a sentence on its state, the places where it fails, and a table of suites × architectures. */
export function packageView(
  { name, latest, statuses, unfinished, absent }: PackageData,
  { failures, doneInMs, missing }: PackageDetails,
  { suites, architectures, neutral, packageLinks: links }: Targets,
) {
  const prefix = packagePrefix(name);
  const packageUrl = packagePath(name);
  const keptAt = new Map(statuses.map((status) => [placeOf(status), status]));
  const latestAt = new Map(latest.map((run) => [placeOf(run), run]));
  const columns = withOthers(
    architectures,
    [...latest, ...unfinished].map(({ arch }) => arch),
  );
  const rows = withOthers(
    suites,
    [...latest, ...unfinished].map(({ suite }) => suite),
  ).map((suite) => ({
    name: suite,
    url: `${packageUrl}#suite-${suite}`,
    cells: columns.map((arch) => {
      const place = placeOf({ suite, arch });
      return cellView(`${packageUrl}${place}/`, place, latestAt.get(place), keptAt.get(place), neutral);
    }),
  }));
  const places = latest.map((run) => placeState(run, keptAt.get(placeOf(run)), neutral));
  const running = unfinished.filter(({ state }) => state !== 'queued');
  return {
    name,
    prefix,
    columns: columns.map((arch): MatrixPlace => {
      const failing = latest.filter((run) => run.arch === arch && run.verdict === 'fail').length;
      return { suite: '', arch, place: arch, failing };
    }),
    rows,
    sentence: packageSentence(
      places,
      { running: running.length, waiting: unfinished.length - running.length, doneInMs },
      absencesIn(absent),
    ),
    missing,
    failures: failureCards(failures.map((failure) => failureView(failure, latest, unfinished, neutral))),
    moreFailing: latest
      .filter(({ verdict }) => verdict === 'fail')
      .slice(failures.length)
      .map((run) => ({ place: placeOf(run), url: `${packageUrl}${placeOf(run)}/` })),
    unfinished: unfinished.map((run) => runView(run, neutral)),
    links: packageLinks(links, { package: name, suite: null, arch: null, version: null }),
    badgeUrl: `${packageUrl}badge.svg`,
    feedUrl: `/data/feeds/${prefix}/${name}.xml`,
  };
}

/** The state of a package on the suite and architecture of `run`, for a sentence. */
export function placeState(
  run: RunRecord,
  saved: PackageStatus | undefined,
  neutral: NeutralStatus,
): PlaceState {
  const status = statusOf(run.verdict, neutral) as PlaceState['status'];
  const failingSince = status === 'fail' ? (saved?.failingSince ?? null) : null;
  return { suite: run.suite, arch: run.arch, status, failingSince, isFlaky: saved?.isFlaky ?? false };
}

/** The messages of the runs that did not find the package. */
export function absencesIn(runs: RunRecord[]): string[] {
  return runs.flatMap(({ verdict, message }) => (verdict === 'absent' && message !== null ? [message] : []));
}

function cellView(
  url: string,
  label: string,
  latest: RunRecord | undefined,
  saved: PackageStatus | undefined,
  neutral: NeutralStatus,
) {
  return {
    url,
    label,
    run: latest ? runView(latest, neutral) : null,
    finishedAt: latest?.finishedAt ?? null,
    strip: saved?.strip ?? [],
    since: saved?.failingSince?.version ?? '',
    isFlaky: saved?.isFlaky ?? false,
    isLonger: saved?.isLonger ?? false,
  };
}

function placeOf({ suite, arch }: { suite: string; arch: string }): string {
  return `${suite}/${arch}`;
}

function withOthers(configured: string[], others: string[]): string[] {
  return [...new Set([...configured, ...others])];
}
