import type { TestResult, TestStatus } from '@proctor/contracts';
import { runRecord } from '@test/support/run-record';
import { logPath, runPath } from '../../runs/page-paths';
import { type TestsOfRun, type TestsQuery, testsView } from './tests-view';

const run = runRecord();
const EVERY: TestsQuery = { result: null, test: '' };

const test = (name: string, status: TestStatus): TestResult => ({ name, status, detail: null });

const viewOf = (all: Partial<TestsOfRun>, query: Partial<TestsQuery> = {}) =>
  testsView({ tests: [], before: [], inLog: [], ...all }, run, { ...EVERY, ...query });

/** As many tests as make a page fold some of them. */
const many = [
  ...Array.from({ length: 10 }, (_, index) => test(`pass-${index}`, 'PASS')),
  test('skip', 'SKIP'),
  test('fail-new', 'FAIL'),
  test('flaky', 'FLAKY'),
  test('fail-old', 'FAIL'),
];

it('each test has its own last runs, its duration, and the place in the log where it begins', () => {
  const before = [[test('unit', 'PASS')], [], [test('unit', 'PASS'), test('new', 'SKIP')]];
  const inLog = [{ name: 'unit', line: 40, seconds: 65 }];
  const { groups, filter } = viewOf({ tests: [test('new', 'FLAKY'), test('unit', 'FAIL')], before, inLog });
  const [unit, other] = groups.flatMap(({ tests }) => tests);
  expect(unit).toMatchObject({ duration: '1\u00a0min\u00a05\u00a0s', logUrl: `${logPath(run)}?from=40#L40` });
  expect(unit!.cells.map(({ verdict }) => verdict)).toEqual(['pass', 'pass', 'fail']);
  expect(other).toMatchObject({ duration: '', logUrl: logPath(run) });
  expect(other!.cells.map(({ verdict }) => verdict)).toEqual(['neutral', 'tmpfail']);
  expect(groups.map(({ isFolded }) => isFolded)).toEqual([false, false]);
  expect(filter).toBeNull();
});

it('the tests are counted by result, those that failed come first, and of many the others are folded', () => {
  const { words, groups, total } = viewOf({ tests: many });
  expect([total, words]).toEqual([14, '2 failed, 1 flaky, 1 skipped, 10 passed']);
  expect(groups.map(({ heading, isFolded }) => [heading, isFolded])).toEqual([
    ['2 failed', false],
    ['1 flaky', true],
    ['1 skipped', true],
    ['10 passed', true],
  ]);
  expect(groups[0]!.tests.map(({ name }) => name)).toEqual(['fail-new', 'fail-old']);
});

it('a failure is new if the test had passed the last time that it ran', () => {
  const before = [
    [test('fail-new', 'PASS'), test('fail-old', 'PASS')],
    [test('fail-old', 'FAIL')],
    [test('flaky', 'PASS')],
  ];
  const { words, groups } = viewOf({ tests: many, before });
  expect(words).toBe('2 failed (1 new), 1 flaky, 1 skipped, 10 passed');
  const tests = groups.flatMap((group) => group.tests);
  expect(tests.filter(({ isNew }) => isNew).map(({ name }) => name)).toEqual(['fail-new']);
});

it('tests are found by result and by a part of the name, and each state of the filter has an address', () => {
  const { words, groups, filter } = viewOf({ tests: many }, { result: 'failed', test: 'NEW' });
  expect(words).toBe('2 failed, 1 flaky, 1 skipped, 10 passed');
  expect(groups.map(({ heading, isFolded }) => [heading, isFolded])).toEqual([['1 failed', false]]);
  expect(filter!.tabs.map(({ label, count, isHere }) => [label, count, isHere])).toEqual([
    ['all', 14, false],
    ['failed', 2, true],
    ['flaky', 1, false],
    ['skipped', 1, false],
    ['passed', 10, false],
  ]);
  expect(filter!.tabs[1]!.url).toBe(`${runPath(run)}?result=failed&test=NEW#tests`);
  expect(filter!.clearUrl).toBe(`${runPath(run)}#tests`);
  expect(viewOf({ tests: many }, { test: 'nothing' }).groups).toEqual([]);
  expect(viewOf({ tests: many.slice(0, 1) }, { test: 'x' }).filter).not.toBeNull();
});
