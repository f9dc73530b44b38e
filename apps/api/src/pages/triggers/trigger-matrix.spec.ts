import type { RunOfTrigger } from '@proctor/database';
import type { TriggerGroup } from '@proctor/resources';
import { runRecord } from '@test/support/run-record';
import { atOnce } from '../../http/slices';
import type { TriggerTest } from '../../runs/trigger-groups';
import { type MatrixQuery, triggerMatrix } from './trigger-matrix';

const ALL: MatrixQuery = { name: '', signature: undefined, after: '' };
const targets = { suites: ['sid'], architectures: ['amd64', 'arm64'], neutral: 'pass' as const };

let runId = 0;
function test(
  group: TriggerGroup,
  name: string,
  arch = 'amd64',
  change: Partial<RunOfTrigger> = {},
): TriggerTest {
  runId += 1;
  const isWaiting = group === 'waiting';
  const verdict = group === 'passed' ? ('pass' as const) : ('fail' as const);
  const end = isWaiting
    ? { state: 'queued' as const, verdict: null }
    : { state: 'finished' as const, verdict };
  const place = { package: name, suite: 'sid', arch };
  const run = { ...runRecord(), reference: null, errorSignature: null, ...place, runId, ...end, ...change };
  return { group, run };
}

const matrix = (tests: TriggerTest[], query: Partial<MatrixQuery> = {}) =>
  atOnce(triggerMatrix(tests, [], { ...ALL, ...query }, targets));
const many = (count: number, group: TriggerGroup, prefix: string): TriggerTest[] =>
  Array.from({ length: count }, (_, number) => test(group, `${prefix}${number}`));

it('packages are sorted by their worst test, then by the number of failures, then by name', () => {
  const tests = [
    test('passed', 'fine'),
    test('waiting', 'slow'),
    test('as-before', 'old'),
    test('regression', 'one'),
    test('passed', 'one', 'arm64'),
    test('regression', 'two'),
    test('regression', 'two', 'arm64'),
    test('regression', 'another'),
    test('superseded', 'retried'),
  ];
  const { rows, places, packageCount } = matrix(tests);
  expect(rows.map(({ name }) => name)).toEqual(['two', 'another', 'one', 'old', 'slow', 'fine']);
  expect(places.map(({ place, failing }) => [place, failing])).toEqual([
    ['sid/amd64', 4],
    ['sid/arm64', 1],
  ]);
  expect(packageCount).toBe(6);
});

it('a filter chooses packages, whose rows stay whole', () => {
  const tests = [
    test('regression', 'libone', 'amd64', { errorSignature: 'e1' }),
    test('passed', 'libone', 'arm64'),
    test('regression', 'other', 'amd64', { errorSignature: 'e2' }),
  ];
  for (const query of [{ name: 'lib' }, { signature: 'e1' }]) {
    const { rows } = matrix(tests, query);
    expect(rows.map(({ name, cells }) => [name, cells.map((cell) => cell?.shape)])).toEqual([
      ['libone', ['fail', 'pass']],
    ]);
  }
});

it('of many packages, those without trouble are names', () => {
  const { rows, waiting, passed } = matrix([
    ...many(60, 'passed', 'p'),
    ...many(2, 'waiting', 'w'),
    test('regression', 'bad'),
  ]);
  expect(rows.map(({ name }) => name)).toEqual(['bad']);
  expect([waiting.length, passed.length]).toEqual([2, 60]);
});

it('pages follow each other until each package was shown once', () => {
  const tests = [...many(2_000, 'regression', 'bad'), ...many(4_000, 'passed', 'good')];
  const names: string[] = [];
  for (let after: string | null = ''; after !== null;) {
    const page = matrix(tests, { after });
    const here = [...page.rows, ...page.waiting, ...page.passed].map(({ name }) => name);
    expect(here.length).toBeGreaterThan(1);
    names.push(...here);
    after = page.lastName;
  }
  expect(names).toHaveLength(6_000);
  expect(new Set(names).size).toBe(6_000);
  expect(() => matrix(tests, { after: 'missing' })).toThrow('The package missing is not in this list.');
});

it('only a test that failed or could not run can be retried, and only a regression is marked as one', () => {
  const reference = { runId: 7, verdict: 'pass' as const, version: '1', date: new Date() };
  const { rows } = matrix([
    test('regression', 'a', 'amd64', { reference, runId: 70 }),
    test('passed', 'b'),
    test('waiting', 'c'),
  ]);
  expect(rows.map(({ cells }) => cells[0])).toMatchObject([
    { isRegression: true, retry: { runId: 70 }, reference: { status: 'pass', url: '/compare/7...70' } },
    { shape: 'queued', retry: null, isRegression: false },
    { shape: 'pass', retry: null, reference: null },
  ]);
});
