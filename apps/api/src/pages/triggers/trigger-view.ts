import { isUntested, type NeutralStatus, UNTESTED, type UntestedVerdict } from '@proctor/contracts';
import type { RunOfTrigger, Trigger } from '@proctor/database';
import { TRIGGER_GROUPS, type TriggerGroup, type TriggerAction } from '@proctor/resources';
import { statusOf } from '../../runs/result-object';
import {
  countsOf,
  sumOf,
  totalOf,
  type TriggerArch,
  type TriggerProgress,
  type TriggerTest,
} from '../../runs/trigger-groups';
import { triggerPath } from '../../runs/trigger.service';
import { estimateInWords } from '../layout/times';
import type { viewOfNote } from '../notes/note-view';
import { inBrief, runView } from '../runs/run-view';
import { ERROR_LETTERS, type SharedError } from './shared-errors';
import type { TriggerTable } from './trigger-matrix';
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

/** Limit for the notes of a row, and for the bugs of each. */
const NOTES_IN_ROW_MAX = 2;

const LABELS: Record<TriggerAction, string> = {
  retry: 'Retry…',
  refresh: 'Request new references…',
  cancel: 'Cancel…',
};

/** The progress of a trigger: `412 of 418 done; 3 regressions; about 25 min left, armhf is the slowest.` */
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
    ? [`${estimateInWords(seconds(slowest))} left, ${slowest!.arch} is the slowest`]
    : [];
  return `${[
    `${doneCount} of ${total} done`,
    ...count(counts.regression, 'regression', 'regressions'),
    ...count(counts.unknown, 'fails without a fresh reference', 'fail without a fresh reference'),
    ...count(counts['as-before'], 'fails in the reference too', 'fail in the reference too'),
    ...remainder,
  ].join('; ')}.`;
}

/** The tests and errors on one page of a trigger. */
interface ShownTests {
  /** The filter of the page; undefined values match all tests. */
  query: {
    /** Null: all tests, as a table of packages. */
    group: TriggerGroup | null;
    suite: string | undefined;
    arch: string | undefined;
    /** The signature of the first error. */
    signature: string | undefined;
  };
  /** The last test of the previous page; null on the first page. */
  before: number | null;
  /** The tests of all groups with this suite and architecture. */
  here: TriggerTest[];
  /** The runs of the group on the page; none with the table. */
  listed: RunOfTrigger[];
  /** The last of them; null on the last page. */
  next: number | null;
  /** Null with a group. */
  table: TriggerTable | null;
  /** The filter and page of the table. */
  name: string;
  after: string;
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
  const { query, before, next, here, listed, table } = tests;
  const { group, suite, arch, signature } = query;
  const place = { ...(suite !== undefined && { suite }), ...(arch !== undefined && { arch }) };
  const ofGroup = { ...(group !== null && { group }), ...place };
  const same = { ...ofGroup, ...(signature !== undefined && { signature }) };
  const urlOf = (fields: Record<string, string>): string => {
    const parameters = new URLSearchParams(fields).toString();
    return parameters === '' ? url : `${url}?${parameters}`;
  };
  const counts = countsOf(here);
  const namedSame = { ...same, ...(tests.name !== '' && { name: tests.name }) };
  return {
    trigger: name,
    url,
    ...progressView(progress),
    tabs: [
      { url: urlOf(place), name: 'All', count: here.length - counts.superseded, isShown: group === null },
      ...TRIGGER_GROUPS.map((each) => {
        const target = urlOf({ group: each, ...place });
        return { url: target, name: nameOf(each), count: counts[each], isShown: each === group };
      }),
    ].filter(({ count, isShown }) => count > 0 || isShown),
    group,
    table: table && tableView(table, tests.notes),
    pages: table && {
      isFirst: tests.after === '',
      firstUrl: urlOf(namedSame),
      nextUrl: table.lastName && urlOf({ ...namedSame, after: table.lastName }),
    },
    part: tests.name,
    shownName: group === null ? 'All tests' : nameOf(group),
    asked: { suite: suite ?? null, arch: arch ?? null },
    suites: namesOf(progress.tests.map(({ run }) => run.suite)),
    architectures: namesOf(progress.tests.map(({ run }) => run.arch)),
    everywhereUrl: urlOf(group === null ? {} : { group }),
    signature: signature ?? null,
    wholeGroupUrl: urlOf(ofGroup),
    errors: tests.errors.map((error, index) => ({
      letter: group === null ? ERROR_LETTERS[index]! : null,
      count: error.count,
      line: tests.errorLines.get(error.runId) ?? error.signature,
      url: urlOf({ ...ofGroup, signature: error.signature }),
      elsewhereUrl: errorPath(error.signature),
    })),
    actions: (group === null ? [] : actionsOf(group)).map((action) => ({
      url: `${url}/${action}`,
      label: LABELS[action],
    })),
    firstUrl: before === null ? null : urlOf(same),
    nextUrl: next === null ? null : urlOf({ ...same, before: String(next) }),
    jsonUrl: `${url}/tests.json${urlOf(same).slice(url.length)}`,
    tests: listed.map((run) => testView(run, tests.notes, neutral)),
  };
}

function progressView(progress: TriggerProgress) {
  return {
    sentence: triggerSentence(progress),
    arches: progress.arches.map(({ arch, outcomes, total, waiting, estimateSeconds, reasons }) => {
      const remainder = estimateSeconds === null ? 'unknown' : estimateInWords(estimateSeconds);
      return { arch, outcomes, total, done: total - waiting, left: waiting === 0 ? '' : remainder, reasons };
    }),
    outcomes: sumOf(progress.arches.map(({ outcomes }) => outcomes)),
    /** The architectures without an estimate. */
    stuck: progress.arches
      .filter(({ waiting, estimateSeconds }) => waiting > 0 && estimateSeconds === null)
      .map(({ arch, outcomes, reasons }) => ({ arch, waiting: outcomes.waiting, reasons })),
    isWaiting: progress.arches.some(({ waiting }) => waiting > 0),
  };
}

function tableView(table: TriggerTable, notes: ShownTests['notes']) {
  const rows = table.rows.map(({ failures, ...row }) => ({ ...row, notes: notesInBrief(failures, notes) }));
  return { ...table, rows };
}

function testView(run: RunOfTrigger, notes: ShownTests['notes'], neutral: NeutralStatus) {
  const { reference } = run;
  return {
    ...runView(run, neutral),
    endedAt: run.finishedAt,
    notes: notes.get(run.runId) ?? [],
    reference: reference && {
      url: shortRunPath(reference.runId),
      status: statusOf(reference.verdict, neutral) ?? '',
      version: reference.version,
      at: reference.date,
      compareUrl: comparisonPath(reference.runId, run.runId),
    },
  };
}

/** What people wrote about failures of a package, each note once; the first notes, and the beginnings of their texts. */
function notesInBrief(failures: { runId: number }[], notes: ShownTests['notes']) {
  const ofRow = failures.flatMap(({ runId }) => notes.get(runId) ?? []);
  return [...new Map(ofRow.map((note) => [note.noteId, note])).values()]
    .slice(0, NOTES_IN_ROW_MAX)
    .map(({ text, bugs }) => ({ text: inBrief(text), bugs: bugs.slice(0, NOTES_IN_ROW_MAX) }));
}

/** Sorts names and removes repetitions. */
function namesOf(names: string[]): string[] {
  return [...new Set(names)].sort();
}

/** A row of the list of triggers. */
export function triggerRow({ name, firstAt, lastAt, suites, ...outcomes }: Trigger) {
  const total = totalOf(outcomes);
  const endedCount = total - outcomes.waiting - outcomes.running;
  return {
    name,
    url: triggerPath(name),
    suites: suites.join(', '),
    outcomes,
    total,
    done: endedCount,
    firstAt,
    lastAt,
  };
}
