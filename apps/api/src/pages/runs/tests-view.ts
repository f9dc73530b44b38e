import {
  type PackageVerdict,
  TEST_NAME_LENGTH_MAX,
  type TestResult,
  type TestStatus,
} from '@proctor/contracts';
import type { RunRecord, StripEntry, TestInLog } from '@proctor/database';
import { oneOf, queryOf, queryValue, text } from '../../http/parameter-values';
import { logLinePath, logPath, runPath } from '../../runs/page-paths';
import { secondsInWords } from '../layout/times';
import { testView } from './story-view';

/** The colour of a test in its strip, as the verdict with the same colour. */
const CELLS: Record<TestStatus, PackageVerdict> = {
  PASS: 'pass',
  FAIL: 'fail',
  SKIP: 'neutral',
  FLAKY: 'tmpfail',
};

/** Which tests of a run its page lists. */
export const TESTS_QUERY = queryOf({
  result: queryValue(oneOf(['failed', 'flaky', 'skipped', 'passed'])),
  /** A part of the name, in any case. */
  test: queryValue(text(TEST_NAME_LENGTH_MAX), ''),
});

export type TestsQuery = ReturnType<typeof TESTS_QUERY.transform>;

/** The words for each status, in the order of the page: what needs attention comes first. */
const GROUPS: [status: TestStatus, word: NonNullable<TestsQuery['result']>][] = [
  ['FAIL', 'failed'],
  ['FLAKY', 'flaky'],
  ['SKIP', 'skipped'],
  ['PASS', 'passed'],
];

/** With more tests, the page folds those that did not fail, and has a filter. */
const UNFOLDED_MAX = 10;

/** What a list of tests is made of. */
export interface TestsOfRun {
  tests: TestResult[];
  /** The tests of earlier runs, oldest first. */
  before: TestResult[][];
  /** The line of the log at which each test begins. */
  inLog: TestInLog[];
}

/** The tests of a run by status, those that failed first, each with its results in earlier runs. */
export function testsView(all: TestsOfRun, run: RunRecord, query: TestsQuery) {
  const rows = rowsOf(all, run);
  const name = query.test.toLowerCase();
  const groups = GROUPS.map(([status, word]) => {
    const ofStatus = rows.filter((row) => row.status === status);
    const tests = ofStatus.filter((row) => row.name.toLowerCase().includes(name));
    return { status, word, count: ofStatus.length, newCount: countNew(ofStatus), tests };
  }).filter(({ count }) => count > 0);
  const isFiltered = query.result !== null || name !== '';
  const shownGroups = groups.filter(({ word, tests }) => tests.length > 0 && (query.result ?? word) === word);
  return {
    total: rows.length,
    words: groups.map(countWords).join(', '),
    isFiltered,
    /** The filter by status; null for few tests. */
    filter: rows.length > UNFOLDED_MAX || isFiltered ? filterView(groups, rows.length, run, query) : null,
    groups: shownGroups.map(({ word, tests }) => ({
      heading: `${tests.length} ${word}`,
      isFolded: rows.length > UNFOLDED_MAX && !isFiltered && word !== 'failed',
      tests,
    })),
  };
}

/** The result of a run that has none. */
export const NO_TESTS: ReturnType<typeof testsView> = {
  total: 0,
  words: '',
  isFiltered: false,
  filter: null,
  groups: [],
};

function rowsOf({ tests, before, inLog }: TestsOfRun, run: RunRecord) {
  const places = new Map(inLog.map((test) => [test.name, test]));
  const past = new Map<string, StripEntry[]>();
  for (const each of [...before, tests]) {
    for (const { name, status } of each) {
      const cell = { verdict: CELLS[status], isNewVersion: false, isPinned: false };
      const cells = past.get(name);
      if (cells) cells.push(cell);
      else past.set(name, [cell]);
    }
  }
  return tests.map((test) => {
    const place = places.get(test.name);
    const cells = past.get(test.name)!;
    return {
      ...testView(test),
      duration: place && place.seconds !== null ? secondsInWords(place.seconds) : '',
      logUrl: place ? logLinePath(run, place.line) : logPath(run),
      cells,
      /** It failed, and had passed the last time that it ran. */
      isNew: test.status === 'FAIL' && cells.at(-2)?.verdict === 'pass',
    };
  });
}

function countNew(rows: { isNew: boolean }[]): number {
  return rows.filter(({ isNew }) => isNew).length;
}

/** `13 failed (2 new)` */
function countWords({ count, word, newCount }: { count: number; word: string; newCount: number }): string {
  return `${count} ${word}${newCount > 0 ? ` (${newCount} new)` : ''}`;
}

function filterView(
  groups: { word: TestsQuery['result']; count: number }[],
  total: number,
  run: RunRecord,
  { result, test }: TestsQuery,
) {
  const url = (word: string | null): string => {
    const query = new URLSearchParams({ ...(word !== null && { result: word }), ...(test && { test }) });
    return `${runPath(run)}${query.size > 0 ? `?${query.toString()}` : ''}#tests`;
  };
  const tabs = [{ word: null, count: total }, ...groups].map(({ word, count }) => {
    return { label: word ?? 'all', count, url: url(word), isHere: word === result };
  });
  return { tabs, result, test, clearUrl: `${runPath(run)}#tests` };
}
