import { isUntested, type NeutralStatus, UNTESTED, type UntestedVerdict } from '@proctor/contracts';
import type { Trigger } from '@proctor/database';
import { TRIGGER_GROUPS, type TriggerGroup, type TriggerAction } from '@proctor/resources';
import { statusOf } from '../../runs/result-object';
import {
  countsOf,
  totalOf,
  type TriggerArch,
  type TriggerProgress,
  type TriggerTest,
} from '../../runs/trigger-groups';
import { type TestPart, triggerPath } from '../../runs/trigger.service';
import { spanOf } from '../layout/times';
import type { viewOfNote } from '../notes/note-view';
import { runView } from '../runs/run-view';
import { comparisonPath, errorPath, shortRunPath } from '../../runs/page-paths';

const NAMES: Record<Exclude<TriggerGroup, UntestedVerdict>, string> = {
  regression: 'Regressions',
  unknown: 'No fresh reference',
  'as-before': 'Fail as before',
  infrastructure: 'Infrastructure',
  waiting: 'Waiting',
  passed: 'Passed',
  superseded: 'Superseded',
};

/** The useful actions for each group, the most useful first. */
const ACTIONS: Record<Exclude<TriggerGroup, UntestedVerdict>, TriggerAction[]> = {
  regression: ['retry', 'refresh'],
  unknown: ['refresh', 'retry'],
  'as-before': ['refresh', 'retry'],
  infrastructure: ['retry'],
  waiting: ['cancel'],
  passed: [],
  superseded: [],
};

function nameOf(group: TriggerGroup): string {
  return isUntested(group) ? UNTESTED[group].heading : NAMES[group];
}

/** The actions for a group; none for a group in which nothing was tested. */
function actionsOf(group: TriggerGroup): TriggerAction[] {
  return isUntested(group) ? [] : ACTIONS[group];
}

const LABELS: Record<TriggerAction, string> = {
  retry: 'Retry…',
  refresh: 'Ask for new references…',
  cancel: 'Cancel…',
};

/** The page names at most this many errors that several tests of a group share. */
const ERRORS_SHOWN_MAX = 10;

/** The progress of a trigger: `412 of 418 done; 3 regressions; about 25 minutes left, armhf is the slowest.` */
export function triggerSentence({ total, done: doneCount, counts, arches }: TriggerProgress): string {
  const count = (number: number, one: string, many: string): string[] =>
    number === 0 ? [] : [number === 1 ? `1 ${one}` : `${number} ${many}`];
  const seconds = (arch: TriggerArch | undefined): number => arch?.estimateSeconds ?? Infinity;
  const slowest = arches
    .filter(({ waiting }) => waiting > 0)
    .reduce<TriggerArch | undefined>(
      (most, arch) => (most && seconds(arch) <= seconds(most) ? most : arch),
      undefined,
    );
  // An architecture without an estimate counts as the slowest.
  const remainder = Number.isFinite(seconds(slowest))
    ? [`about ${spanOf(seconds(slowest) * 1_000)} left, ${slowest!.arch} is the slowest`]
    : [];
  return `${[
    `${doneCount} of ${total} done`,
    ...count(counts.regression, 'regression', 'regressions'),
    ...count(counts.unknown, 'fails without a fresh reference', 'fail without a fresh reference'),
    ...count(counts['as-before'], 'fails in the reference too', 'fail in the reference too'),
    ...remainder,
  ].join('; ')}.`;
}

/** Tests of a group that fail with the same first error. */
export interface SharedError {
  signature: string;
  count: number;
  /** One of the runs with this error. */
  runId: number;
}

/** Errors that several tests have, the most frequent first. */
export function sharedErrors(tests: TriggerTest[]): SharedError[] {
  const errors = new Map<string, SharedError>();
  for (const { run } of tests) {
    const { errorSignature: signature, runId } = run;
    if (signature === null) continue;
    const error = errors.get(signature);
    if (error) error.count += 1;
    else errors.set(signature, { signature, count: 1, runId });
  }
  return [...errors.values()]
    .filter(({ count }) => count > 1)
    .sort((a, b) => b.count - a.count)
    .slice(0, ERRORS_SHOWN_MAX);
}

/** The tests and errors on one page of a trigger. */
export interface ShownTests {
  /** The filter of the page; undefined values match all tests. */
  query: {
    group: TriggerGroup;
    suite: string | undefined;
    arch: string | undefined;
    /** The signature of the first error. */
    signature: string | undefined;
  };
  /** The last test of the previous page; null on the first page. */
  before: number | null;
  /** The tests of all groups with this suite and architecture. */
  here: TriggerTest[];
  part: TestPart;
  errors: SharedError[];
  /** The first error in the log of each run in `errors`. */
  errorLines: ReadonlyMap<number, string>;
  /** The notes of the runs on the page. */
  notes: ReadonlyMap<number, ReturnType<typeof viewOfNote>[]>;
}

export function triggerView(
  name: string,
  progress: TriggerProgress,
  tests: ShownTests,
  neutral: NeutralStatus,
) {
  const url = triggerPath(name);
  const { query, before, here, part } = tests;
  const { group, suite, arch, signature } = query;
  const place = { ...(suite !== undefined && { suite }), ...(arch !== undefined && { arch }) };
  const same = { group, ...place, ...(signature !== undefined && { signature }) };
  const urlOf = (fields: Record<string, string>): string =>
    `${url}?${new URLSearchParams(fields).toString()}`;
  const counts = countsOf(here);
  return {
    name,
    url,
    sentence: triggerSentence(progress),
    arches: progress.arches.map(({ arch, outcomes, total, waiting, estimateSeconds, reasons }) => {
      const remainder = estimateSeconds === null ? 'not known' : `about ${spanOf(estimateSeconds * 1_000)}`;
      const left = waiting === 0 ? '' : remainder;
      return { arch, outcomes, total, done: total - waiting, left, reasons };
    }),
    isWaiting: progress.arches.some(({ waiting }) => waiting > 0),
    tabs: TRIGGER_GROUPS.map((each) => {
      const target = urlOf({ group: each, ...place });
      return { url: target, name: nameOf(each), count: counts[each], isShown: each === group };
    }),
    group,
    shownName: nameOf(group),
    asked: { suite: suite ?? null, arch: arch ?? null },
    suites: namesOf(progress.tests.map(({ run }) => run.suite)),
    architectures: namesOf(progress.tests.map(({ run }) => run.arch)),
    everywhereUrl: urlOf({ group }),
    signature: signature ?? null,
    wholeGroupUrl: urlOf({ group, ...place }),
    errors: tests.errors.map((error) => ({
      count: error.count,
      line: tests.errorLines.get(error.runId) ?? error.signature,
      url: urlOf({ group, ...place, signature: error.signature }),
      elsewhereUrl: errorPath(error.signature),
    })),
    actions: actionsOf(group).map((action) => ({ url: `${url}/${action}`, label: LABELS[action] })),
    firstUrl: before === null ? null : urlOf(same),
    nextUrl: part.before === null ? null : urlOf({ ...same, before: String(part.before) }),
    jsonUrl: `${url}/tests.json?${new URLSearchParams(same).toString()}`,
    tests: part.tests.map(({ run }) => ({
      ...runView(run, neutral),
      endedAt: run.finishedAt,
      notes: tests.notes.get(run.runId) ?? [],
      reference: run.reference && {
        url: shortRunPath(run.reference.runId),
        status: statusOf(run.reference.verdict, neutral) ?? '',
        version: run.reference.version,
        at: run.reference.date,
        compareUrl: comparisonPath(run.reference.runId, run.runId),
      },
    })),
  };
}

/** Sorts names and removes repetitions. */
function namesOf(names: string[]): string[] {
  return [...new Set(names)].sort();
}

/** The default tab: the first one with tests. */
export function firstGroup(tests: TriggerTest[]): TriggerGroup {
  const counts = countsOf(tests);
  return TRIGGER_GROUPS.find((group) => counts[group] > 0) ?? 'passed';
}

/** A row of the list of triggers. */
export function triggerRow({ name, firstAt, lastAt, suites, ...outcomes }: Trigger) {
  const total = totalOf(outcomes);
  const done = total - outcomes.waiting - outcomes.running;
  return { name, url: triggerPath(name), suites: suites.join(', '), outcomes, total, done, firstAt, lastAt };
}
