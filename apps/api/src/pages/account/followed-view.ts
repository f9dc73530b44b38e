import type { FollowedResource } from '@proctor/resources';
import { timestamp } from '@proctor/contracts';
import type { NeutralStatus } from '@proctor/contracts';
import type { PackageStatus } from '@proctor/database';
import type { FeedEntry } from '../../public-data/status-feed';
import { historyPath, packagePath, shortRunPath } from '../../runs/page-paths';
import { triggerPath } from '../../runs/trigger.service';
import { statusOf } from '../../runs/result-object';
import { countsOf, countsSentence, matrixView } from '../packages/prefix-view';
import { changeOf, place, runUrl, statusObject } from '../status/package-columns';

const PLACES_SHOWN_MAX = 200;
const FEED_ENTRIES_MAX = 50;

/** The packages that a user follows and that have public runs. */
export interface Followed {
  /** The names as the user entered them; `*` matches any text. */
  patterns: string[];
  /** The ids of the runs that the user follows. */
  runs: number[];
  triggers: string[];
  /** The matching packages; those that fail on some place come first. */
  packages: string[];
  /** Whether more packages match than `packages` has. */
  hasMore: boolean;
  statuses: PackageStatus[];
}

interface Targets {
  suites: string[];
  architectures: string[];
  neutral: NeutralStatus;
  staleBefore: Date;
}

/** Statuses with trouble, the worst first. */
const ORDER = ['fail', 'tmpfail', 'flaky'];

function troubleOf(status: PackageStatus, neutral: NeutralStatus): string | null {
  const word = statusOf(status.latest.verdict, neutral);
  if (word === 'fail' || word === 'tmpfail') return word;
  return status.isFlaky ? 'flaky' : null;
}

/** The page of followed packages: the places with trouble and their last runs, then a table of all packages. */
export function followedView(
  { patterns, runs, triggers, packages, hasMore, statuses }: Followed,
  targets: Targets,
) {
  const troubled = statuses
    .flatMap((status) => {
      const trouble = troubleOf(status, targets.neutral);
      return trouble === null ? [] : [{ status, trouble }];
    })
    .sort(
      (one, other) =>
        ORDER.indexOf(one.trouble) - ORDER.indexOf(other.trouble) ||
        changeOf(other.status).date.getTime() - changeOf(one.status).date.getTime(),
    );
  return {
    ...matrixView(packages, statuses, targets),
    sentence:
      patterns.length === 0
        ? 'You follow no package yet.'
        : countsSentence(countsOf(packages, statuses, targets)),
    places: troubled.slice(0, PLACES_SHOWN_MAX).map(({ status, trouble }) => ({
      package: status.package,
      packageUrl: packagePath(status.package),
      place: place(status),
      url: historyPath(status),
      word: trouble,
      version: status.latest.version,
      runUrl: runUrl(status, status.latest.runId),
      since: (status.failingSince ?? status.latest).date,
      strip: status.strip,
      failingVersion: status.failingSince?.version ?? '',
    })),
    placesLeft: Math.max(0, troubled.length - PLACES_SHOWN_MAX),
    follows: [
      ...patterns.map((name) => ({ kind: 'package', name, url: null })),
      ...runs.map((runId) => ({ kind: 'run', name: String(runId), url: shortRunPath(runId) })),
      ...triggers.map((name) => ({ kind: 'trigger', name, url: triggerPath(name) })),
    ],
    hasMore,
    unknown: unknownOf(patterns, packages),
  };
}

/** Followed names that have no public run yet. */
function unknownOf(patterns: string[], packages: string[]): string[] {
  const names = new Set(packages);
  return patterns.filter((pattern) => !pattern.includes('*') && !names.has(pattern));
}

/** The followed packages as JSON. */
export function followedObject(
  { patterns, runs, triggers, packages, hasMore, statuses }: Followed,
  neutral: NeutralStatus,
): FollowedResource {
  return {
    patterns,
    runs,
    triggers,
    packages: packages.map((name) => ({
      package: name,
      statuses: statuses
        .filter((status) => status.package === name)
        .map((status) => statusObject(status, neutral)),
    })),
    has_more: hasMore,
  };
}

/** The entries of the feed, newest first: each place where a package began to fail or passes again. */
export function followedEntries(statuses: PackageStatus[]): FeedEntry[] {
  return statuses
    .filter(({ failingSince, recovered }) => failingSince !== null || recovered !== null)
    .map((status) => {
      const { version, date, runId, trigger, isFailure } = changeOf(status);
      const what = isFailure ? 'began to fail' : 'passes again';
      return {
        path: runUrl(status, runId),
        title: `${status.package} ${version} ${what} on ${place(status)}`,
        text: trigger === null ? timestamp(date) : `Trigger: ${trigger}`,
        date,
      };
    })
    .sort((one, other) => other.date.getTime() - one.date.getTime())
    .slice(0, FEED_ENTRIES_MAX);
}
