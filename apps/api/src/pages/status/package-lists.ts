import { isPackageName, isWord } from '@proctor/contracts';
import type { NeutralStatus } from '@proctor/contracts';
import type { ListedStatus, StatusKey, StatusLists } from '@proctor/database';
import { cursor } from '../../http/parts';
import { nameThat } from '../../http/path-ids';
import { statusOf } from '../../runs/result-object';
import type { FeedEntry } from '../../public-data/status-feed';
import { historyPath } from '../../runs/page-paths';
import { secondsInWords, utc } from '../layout/times';
import type { ListColumn, StatusList } from './status-list';
import {
  CHANGE,
  CHANGED,
  CHANGED_TRIGGER,
  CHANGED_VERSION,
  changeOf,
  ENDED,
  FLAKINESS,
  LONG,
  LONGER,
  MEDIAN,
  medianOf,
  MESSAGE,
  PACKAGE,
  PLACE,
  place,
  runUrl,
  SINCE,
  statusObject,
  STRIP,
  TRIGGER,
  VERSION,
} from './package-columns';

type PackageList = StatusList<ListedStatus, StatusKey>;

const NAMED = 'what the part of the list before named';
const PLACE_FIELDS = { package: nameThat(isPackageName), suite: nameThat(isWord), arch: nameThat(isWord) };
const BY_TIME = cursor<StatusKey>(NAMED, { value: timeIn, ...PLACE_FIELDS });
const BY_SHARE = cursor<StatusKey>(NAMED, {
  value: (text) => (/^(0|1|0\.\d{1,20})$/.test(text) ? Number(text) : null),
  ...PLACE_FIELDS,
});
const BY_SECONDS = cursor<StatusKey>(NAMED, {
  value: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : null),
  ...PLACE_FIELDS,
});

function timeIn(text: string): Date | null {
  const time = new Date(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) ? text : NaN);
  return Number.isNaN(time.getTime()) ? null : time;
}

/** The lists whose entries are packages on a suite and architecture. */
export function packageLists(lists: StatusLists, neutral: NeutralStatus): PackageList[] {
  return [failingList, brokenList, flakyList, slowList, changedList].map((make) => make(lists, neutral));
}

function failingList(lists: StatusLists, neutral: NeutralStatus): PackageList {
  return {
    name: 'failing',
    title: 'Failing packages',
    nouns: () => ['failure', 'failures'],
    order: 'newest first',
    columns: [PACKAGE, PLACE, SINCE, VERSION, STRIP, MESSAGE, TRIGGER],
    cursor: BY_TIME,
    read: (query, limit, after) => lists.failing(query, limit, after),
    count: (query) => lists.count('failing', query),
    keyOf: (status) => ({ ...status, value: status.failingSince?.date ?? status.latest.date }),
    object: objectOf(neutral),
    entry: (status) => {
      const { failingSince: since } = status;
      const { version } = since ?? status.latest;
      const began = `${status.package} fails on ${place(status)} since ${version}`;
      return entryOf(status, since ?? status.latest, began);
    },
  };
}

function brokenList(lists: StatusLists, neutral: NeutralStatus): PackageList {
  return {
    name: 'alerts',
    title: 'Packages that could not be tested',
    nouns: () => ['test that could not run', 'tests that could not run'],
    order: 'newest first',
    columns: [PACKAGE, PLACE, latest(neutral), ENDED, MESSAGE, STRIP],
    cursor: BY_TIME,
    read: (query, limit, after) => lists.broken(query, limit, after),
    count: (query) => lists.count('broken', query),
    keyOf: (status) => ({ ...status, value: status.latest.date }),
    object: objectOf(neutral),
    entry: (status) =>
      entryOf(status, status.latest, `${status.package} could not be tested on ${place(status)}`),
  };
}

function flakyList(lists: StatusLists, neutral: NeutralStatus): PackageList {
  return {
    name: 'flaky',
    title: 'Flaky packages',
    nouns: () => ['flaky test', 'flaky tests'],
    order: 'most flaky first',
    columns: [PACKAGE, PLACE, FLAKINESS, STRIP, latest(neutral), VERSION],
    cursor: BY_SHARE,
    read: (query, limit, after) => lists.flaky(query, limit, after),
    count: (query) => lists.count('flaky', query),
    keyOf: (status) => ({ ...status, value: status.flakiness }),
    object: objectOf(neutral),
    entry: (status) => ({
      ...entryOf(status, status.latest, `${status.package} is flaky on ${place(status)}`),
      path: `${historyPath(status)}#flaky`,
    }),
  };
}

function slowList(lists: StatusLists, neutral: NeutralStatus): PackageList {
  return {
    name: 'slow',
    title: 'Slow packages',
    nouns: ({ minutes }) => {
      const bound = `of ${secondsInWords(minutes * 60)} or more`;
      return [`test ${bound}`, `tests ${bound}`];
    },
    order: 'slowest first',
    columns: [PACKAGE, PLACE, MEDIAN, LONG, LONGER, latest(neutral), STRIP],
    bound: 'minutes',
    cursor: BY_SECONDS,
    read: (query, limit, after) => lists.slow(query, limit, after, query.minutes * 60),
    count: (query) => lists.count('slow', query, query.minutes * 60),
    keyOf: (status) => ({ ...status, value: status.durations?.medianSeconds ?? 0 }),
    object: objectOf(neutral),
    entry: (status) => ({
      ...entryOf(status, status.latest, `${status.package} takes ${medianOf(status)} on ${place(status)}`),
      path: `${historyPath(status)}#slow`,
    }),
  };
}

function changedList(lists: StatusLists, neutral: NeutralStatus): PackageList {
  return {
    name: 'changes',
    title: 'Changes of status',
    nouns: ({ since }) => {
      const bound = `since ${utc(since)}`;
      return [`lasting change ${bound}`, `lasting changes ${bound}`];
    },
    order: 'newest first',
    columns: [PACKAGE, PLACE, CHANGE, CHANGED, CHANGED_VERSION, STRIP, CHANGED_TRIGGER],
    bound: 'since',
    cursor: BY_TIME,
    read: (query, limit, after) => lists.listChanged(query, limit, after, query.since),
    count: (query) => lists.count('changed', query, query.since),
    keyOf: (status) => ({ ...status, value: changeOf(status).date }),
    object: objectOf(neutral),
    entry: (status) => {
      const change = changeOf(status);
      const what = change.isFailure ? 'began to fail' : 'passes again';
      return entryOf(status, change, `${status.package} ${change.version} ${what} on ${place(status)}`);
    },
  };
}

function latest(neutral: NeutralStatus): ListColumn<ListedStatus> {
  return {
    head: 'Latest',
    cell: (status) => ({
      status: statusOf(status.latest.verdict, neutral) ?? status.latest.verdict,
      url: runUrl(status, status.latest.runId),
    }),
  };
}

function objectOf(neutral: NeutralStatus) {
  return (status: ListedStatus): object => statusObject(status, neutral);
}

function entryOf(status: ListedStatus, run: { runId: number; date: Date }, title: string): FeedEntry {
  return { path: runUrl(status, run.runId), title, text: status.message ?? '', date: run.date };
}
