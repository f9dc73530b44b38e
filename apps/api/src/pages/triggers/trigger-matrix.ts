import type { NeutralStatus } from '@proctor/contracts';
import { TRIGGER_GROUPS, type TriggerGroup } from '@proctor/resources';
import { notFound } from '../../http/problem';
import { handleEach, type SlicedWork } from '../../http/slices';
import { comparisonPath, packagePath, shortRunPath } from '../../runs/page-paths';
import { statusOf } from '../../runs/result-object';
import type { TriggerTest } from '../../runs/trigger-groups';
import { fittingPart, type MatrixPlace, placesInOrder } from '../layout/matrix';
import { shapeOf } from '../layout/mark';
import { wordOf } from '../runs/run-view';
import { ERROR_LETTERS, type SharedError } from './shared-errors';

/** Packages without trouble are rows too when there are at most this many packages. */
const ROWS_WITHOUT_TROUBLE_MAX = 60;
/** The sizes of a row's head and of a cell with a failure, in cells. */
const [HEAD_CELLS, FAILURE_CELLS] = [2, 4];

interface Targets {
  suites: string[];
  architectures: string[];
  neutral: NeutralStatus;
}

interface TestedPackage {
  name: string;
  tests: Map<string, TriggerTest>;
  /** The worst group of its tests. */
  group: TriggerGroup;
  failures: number;
  isRow: boolean;
}

export interface MatrixQuery {
  /** A part of the names of the packages; empty for all. */
  name: string;
  /** Only packages with a test that has this signature. */
  signature: string | undefined;
  /** The last package of the previous page; empty on the first page. */
  after: string;
}

/**
 * The tests of a trigger by package and place, those that need attention first.
 * @param tests those with the wanted suite and architecture; they may be tens of thousands
 * @param errors what several tests have in common; a cell shows the letter of its error
 * @throws Problem 404 when no package follows `after`
 */
export function* triggerMatrix(
  tests: TriggerTest[],
  errors: SharedError[],
  query: MatrixQuery,
  targets: Targets,
): SlicedWork<TriggerTable> {
  const packages = yield* packagesOf(tests, query);
  const places = yield* placesOf(packages, targets);
  return tableOf(packages, places, errors, query.after, targets.neutral);
}

export type TriggerTable = ReturnType<typeof tableOf>;

/** One page of the packages. */
function tableOf(
  packages: TestedPackage[],
  places: MatrixPlace[],
  errors: SharedError[],
  after: string,
  neutral: NeutralStatus,
) {
  const start = packages.findIndex(({ name }) => name === after) + 1;
  if (after !== '' && start === 0) throw notFound(`The package ${after} is not in this list.`);
  const rest = packages.slice(start);
  const page = fittingPart(rest, sizeOf);
  const letters = new Map(errors.map(({ signature }, index) => [signature, ERROR_LETTERS[index]!]));
  const namesIn = (isMeant: (group: TriggerGroup) => boolean) =>
    page
      .filter(({ isRow, group }) => !isRow && isMeant(group))
      .map(({ name }) => ({ name, url: packagePath(name) }));
  return {
    places,
    rows: page
      .filter(({ isRow }) => isRow)
      .map(({ name, tests: own }) => ({
        name,
        url: packagePath(name),
        failures: [...own.values()].filter(mayBeRetried).map(({ run }) => run),
        cells: places.map(({ place }) => {
          const test = own.get(place);
          return test ? cellView(test, letters, neutral) : null;
        }),
      })),
    waiting: namesIn((group) => group === 'waiting'),
    passed: namesIn((group) => group !== 'waiting'),
    packageCount: packages.length,
    lastName: page.length < rest.length ? page.at(-1)!.name : null,
  };
}

/** The packages that need attention first. */
function* packagesOf(
  tests: TriggerTest[],
  { name: part, signature }: MatrixQuery,
): SlicedWork<TestedPackage[]> {
  const byName = new Map<string, TriggerTest[]>();
  yield* handleEach(tests, (test) => {
    const { package: name } = test.run;
    if (test.group === 'superseded' || !name.includes(part)) return;
    const own = byName.get(name);
    if (own) own.push(test);
    else byName.set(name, [test]);
  });
  const entries = [...byName].filter(
    ([, own]) => signature === undefined || own.some(({ run }) => run.errorSignature === signature),
  );
  const rank = (group: TriggerGroup): number => TRIGGER_GROUPS.indexOf(group);
  const packages: TestedPackage[] = [];
  yield* handleEach(entries, ([name, own]) => {
    const group = own
      .map((test) => test.group)
      .reduce((one, other) => (rank(one) <= rank(other) ? one : other));
    const isRow = entries.length <= ROWS_WITHOUT_TROUBLE_MAX || (group !== 'waiting' && group !== 'passed');
    const byPlace = new Map(own.map((test) => [`${test.run.suite}/${test.run.arch}`, test]));
    packages.push({ name, tests: byPlace, group, failures: own.filter(isFailure).length, isRow });
  });
  return packages.sort(
    (one, other) =>
      rank(one.group) - rank(other.group) ||
      other.failures - one.failures ||
      (one.name < other.name ? -1 : 1),
  );
}

function* placesOf(packages: TestedPackage[], targets: Targets): SlicedWork<MatrixPlace[]> {
  const places = new Map<string, { suite: string; arch: string; failing: number }>();
  yield* handleEach(packages, ({ tests }) => {
    for (const [place, test] of tests) {
      const row = places.get(place) ?? { suite: test.run.suite, arch: test.run.arch, failing: 0 };
      row.failing += isFailure(test) ? 1 : 0;
      places.set(place, row);
    }
  });
  return placesInOrder([...places.values()], targets);
}

function isFailure({ run }: TriggerTest): boolean {
  return run.state === 'finished' && run.verdict === 'fail';
}

/** Whether a person may want to try the test again. */
function mayBeRetried({ group }: TriggerTest): boolean {
  return group !== 'waiting' && group !== 'passed' && group !== 'superseded';
}

function sizeOf({ isRow, tests }: TestedPackage): number {
  if (!isRow) return 1;
  return [...tests.values()].reduce(
    (sum, test) => sum + (mayBeRetried(test) ? FAILURE_CELLS : 1),
    HEAD_CELLS,
  );
}

function cellView(test: TriggerTest, letters: ReadonlyMap<string, string>, neutral: NeutralStatus) {
  const { run, group } = test;
  const { runId, reference } = run;
  const word = wordOf(run, neutral);
  const where = `${run.package} on ${run.suite}/${run.arch}`;
  const referenceStatus = reference && (statusOf(reference.verdict, neutral) ?? '');
  return {
    url: shortRunPath(runId),
    shape: shapeOf(word),
    isRegression: group === 'regression',
    isPrivate: run.isPrivate,
    label: `${word}: ${where}`,
    letter: (run.errorSignature !== null && letters.get(run.errorSignature)) || null,
    reference: reference && {
      status: referenceStatus,
      url: comparisonPath(reference.runId, runId),
      label: `Compare with the reference, ${referenceStatus}: ${where}`,
    },
    retry: mayBeRetried(test) ? { runId, label: `Retry ${where}` } : null,
  };
}
