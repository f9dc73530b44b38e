import { runRecord } from '@test/support/run-record';
import { installedView, PACKAGES_SHOWN_MAX } from './installed-page.controller';

const run = runRecord({ state: 'finished', verdict: 'fail', logSize: 100 });
const installed = (
  testbed: Record<string, string>,
  added: Record<string, string> = {},
  suites: Record<string, string> = {},
) => {
  const packages = {
    testbed: new Map(Object.entries(testbed)),
    added: new Map(Object.entries(added)),
    suites: new Map(Object.entries(suites)),
  };
  return { packages, kernel: null, withoutInitLine: null, fallback: null, tests: [] };
};
const unknown = { packages: null, kernel: null, withoutInitLine: null, fallback: null, tests: [] };

it.each([
  [{ a: '1' }, {}, 'When its tests began, 1 package was installed: none for the tests.'],
  [{ a: '1' }, { b: '1' }, 'When its tests began, 2 packages were installed: 1 for the tests.'],
  [
    { a: '1', b: '1' },
    { b: '2', c: '1' },
    'When its tests began, 3 packages were installed: 2 for the tests, 1 of them upgraded.',
  ],
])('the sentence of the packages %j and %j is: %s', (testbed, added, sentence) => {
  expect(installedView(run, installed(testbed, added)).sentence).toBe(sentence);
});

it('a list that is missing is announced as such, with the rule that removed the files, and one of a run that goes on as to come', () => {
  const removed = installedView({ ...run, logSize: null, logRemovedBy: 'log-age 90' }, unknown);
  expect(removed.sentence).toBe('There is no list of packages for this run.');
  expect(removed.removals).toHaveLength(1);
  expect(installedView(runRecord({ state: 'running' }), unknown).sentence).toContain(
    'when the run has finished',
  );
});

it('the page lists the packages of the tests before those of the testbed, and no more than it can show', () => {
  const many = Object.fromEntries(Array.from({ length: PACKAGES_SHOWN_MAX + 1 }, (_, n) => [`p${n}`, '1']));
  const { parts } = installedView(run, installed(many, { curl: '8' }));
  expect(parts.map(({ total, packages }) => [total, packages.length])).toEqual([
    [1, 1],
    [PACKAGES_SHOWN_MAX + 1, PACKAGES_SHOWN_MAX],
  ]);
});

it('pins that were given up lead to the line of the log that says so, while there is a log', () => {
  const fallback = { line: 30, release: 'sid' };
  const of = (logSize: number | null) =>
    installedView({ ...run, logSize }, { ...unknown, fallback }).fallback;
  expect(of(100)!.logUrl).toMatch(/\/7\/log\?from=30#L30$/);
  expect(of(null)!.logUrl).toBeNull();
});

it('where packages came from is a column of its part of the page, if it is known of any', () => {
  const parts = (suites: Record<string, string>) =>
    installedView(run, installed({ bash: '5' }, { curl: '8', perl: '5' }, suites)).parts;
  expect(parts({ curl: 'sid' }).map(({ hasSuites }) => hasSuites)).toEqual([true, false]);
  expect(parts({ curl: 'sid' })[0]!.packages.map(({ suite }) => suite)).toEqual(['sid', null]);
  expect(parts({})[0]!.hasSuites).toBe(false);
});
