import type { NeutralStatus } from '@proctor/contracts';
import {
  PACKAGE_STATES,
  type PackageOfPrefix,
  type PackageState,
  type PackageStatus,
  type PrefixPlace,
} from '@proctor/database';
import { packagePath } from '../../runs/page-paths';
import { statusOf } from '../../runs/result-object';
import { fittingPart, type MatrixPlace, placesInOrder } from '../layout/matrix';
import { PACKAGES_SHOWN_MAX } from '../layout/package-list';
import { statusObject } from '../status/package-columns';

interface Targets {
  suites: string[];
  architectures: string[];
  neutral: NeutralStatus;
  /** A place is stale when its newest result is older. */
  staleBefore: Date;
}

/** The size of the name and the strip of a row, in cells. */
const ROW_CELLS = 4;

/**
 * The first packages, as many as fit on one page. A package with trouble is a row with a cell for each place; any
 * other package is only a name.
 * @param packages the worst first
 */
export function fittingPage(packages: PackageOfPrefix[], places: number): PackageOfPrefix[] {
  return fittingPart(
    packages,
    ({ state }) => (state === 'pass' || state === 'untested' ? 1 : places + ROW_CELLS),
    PACKAGES_SHOWN_MAX,
  );
}

/** A table of the packages with trouble, and a list of names of the others. */
export function matrixView(names: string[], statuses: PackageStatus[], targets: Targets) {
  const places = new Map(
    statuses.map(({ suite, arch }) => [`${suite}/${arch}`, { suite, arch, failing: 0 }]),
  );
  for (const { suite, arch, latest } of statuses)
    if (latest.verdict === 'fail') places.get(`${suite}/${arch}`)!.failing += 1;
  return prefixMatrix(names, statuses, [...places.values()], targets);
}

/** The number of packages in each state. */
export function countsOf(names: string[], statuses: PackageStatus[], targets: Targets) {
  const ofPackage = byPackage(statuses);
  const counts = { fail: 0, tmpfail: 0, flaky: 0, stale: 0, pass: 0, untested: 0 };
  for (const name of names) counts[stateOf(ofPackage.get(name) ?? [], targets)] += 1;
  return counts;
}

/**
 * A table of the packages with trouble, and lists of names of the others.
 * @param places the columns: all places where one of the requested packages is tested
 */
export function prefixMatrix(
  names: string[],
  statuses: PackageStatus[],
  places: PrefixPlace[],
  targets: Targets,
) {
  const columns = placesInOrder(places, targets);
  const ofPackage = byPackage(statuses);
  const rows = names.flatMap((name) => {
    const own = ofPackage.get(name);
    return own ? [rowView(name, own, columns, targets)] : [];
  });
  const rank = ({ state }: { state: PackageState }): number => PACKAGE_STATES.indexOf(state);
  return {
    columns,
    rows: rows.filter(({ state }) => state !== 'pass').sort((one, other) => rank(one) - rank(other)),
    passing: rows.filter(({ state }) => state === 'pass').map(({ name }) => linkTo(name)),
    untested: names.filter((name) => !ofPackage.has(name)).map(linkTo),
  };
}

/** The statuses of each package, for JSON. */
export function prefixObjects(names: string[], statuses: PackageStatus[], neutral: NeutralStatus) {
  const ofPackage = byPackage(statuses);
  return names.map((name) => ({
    package: name,
    page_url: linkTo(name).url,
    statuses: (ofPackage.get(name) ?? []).map((status) => statusObject(status, neutral)),
  }));
}

function byPackage(statuses: PackageStatus[]): Map<string, PackageStatus[]> {
  const byName = new Map<string, PackageStatus[]>();
  for (const status of statuses) {
    const own = byName.get(status.package);
    if (own) own.push(status);
    else byName.set(status.package, [status]);
  }
  return byName;
}

/** The state of a package on one place. */
function stateAt({ latest, isFlaky }: PackageStatus, { staleBefore }: Targets): PackageState {
  if (latest.verdict === 'fail' || latest.verdict === 'tmpfail') return latest.verdict;
  if (isFlaky) return 'flaky';
  return latest.date < staleBefore ? 'stale' : 'pass';
}

function stateOf(statuses: PackageStatus[], targets: Targets): PackageState {
  const states = statuses.map((status) => stateAt(status, targets));
  return PACKAGE_STATES.find((state) => states.includes(state)) ?? 'untested';
}

function rowView(name: string, statuses: PackageStatus[], columns: MatrixPlace[], targets: Targets) {
  const at = new Map(statuses.map((status) => [`${status.suite}/${status.arch}`, status]));
  const state = stateOf(statuses, targets);
  const url = packagePath(name);
  const worst = statuses.find((status) => stateAt(status, targets) === state)!;
  return {
    name,
    url,
    state,
    cells: columns.map(({ place }) => cellView(name, url, place, at.get(place), targets)),
    /** The place that decided the state of the row. */
    worst: {
      place: `${worst.suite}/${worst.arch}`,
      url: `${url}${worst.suite}/${worst.arch}/`,
      strip: worst.strip,
      since: worst.failingSince?.version ?? '',
    },
  };
}

function cellView(
  name: string,
  url: string,
  place: string,
  status: PackageStatus | undefined,
  { neutral, staleBefore }: Targets,
) {
  const word = status ? (statusOf(status.latest.verdict, neutral) ?? 'never') : 'never';
  const isStale = status !== undefined && status.latest.date < staleBefore;
  const marks = [...(status?.isFlaky ? ['flaky'] : []), ...(isStale ? ['stale'] : [])];
  return {
    url: status ? `${url}${place}/` : null,
    word,
    marks,
    label: `${[word, ...marks].join(', ')}: ${name} ${status?.latest.version ?? ''} on ${place}`,
  };
}

function linkTo(name: string): { name: string; url: string } {
  return { name, url: packagePath(name) };
}

/** `5 packages: 1 fails somewhere, 2 could not be tested or are flaky; 1 has no result yet.` */
export function countsSentence(counts: Record<PackageState, number>): string {
  const { fail, stale, untested } = counts;
  const other = counts.tmpfail + counts.flaky;
  const all = PACKAGE_STATES.reduce((sum, state) => sum + counts[state], 0);
  const packages = all === 1 ? '1 package' : `${all} packages`;
  if (all === 0) return 'No package matches.';
  if (untested === all) return `${packages}, without any result yet.`;
  const trouble = [
    fail > 0 ? `${fail} ${fail === 1 ? 'fails' : 'fail'} somewhere` : '',
    other > 0 ? `${other} could not be tested or are flaky` : '',
    stale > 0 ? `${stale} ${stale === 1 ? 'has' : 'have'} an old result somewhere` : '',
  ].filter(Boolean);
  const rest = untested > 0 ? `; ${untested} ${untested === 1 ? 'has' : 'have'} no result yet` : '';
  return `${packages}: ${trouble.length > 0 ? trouble.join(', ') : 'all that were tested pass'}${rest}.`;
}
