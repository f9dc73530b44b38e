import { packagePrefix } from '@proctor/contracts';
import type { NeutralStatus } from '@proctor/contracts';
import type { PackageStatus } from '@proctor/database';
import { statusOf } from '../../runs/result-object';
import { statusObject } from '../status/package-columns';

/** The worst first: what comes before what in a list, and what is folded. */
const STATES = ['fail', 'tmpfail', 'flaky', 'pass'] as const;
type State = (typeof STATES)[number];

interface Targets {
  suites: string[];
  architectures: string[];
  neutral: NeutralStatus;
}

/** Packages as a matrix of those with trouble, and names of those without. */
export function prefixView(names: string[], statuses: PackageStatus[], targets: Targets) {
  const columns = columnsOf(statuses, targets);
  const ofPackage = byPackage(statuses);
  const rows = names.flatMap((name) => {
    const own = ofPackage.get(name);
    return own ? [rowView(name, own, columns, targets.neutral)] : [];
  });
  const troubled = rows.filter(({ state }) => state !== 'pass');
  const failing = rows.filter(({ state }) => state === 'fail').length;
  return {
    columns: columns.map((place) => ({ ...place, failing: failingAt(place, troubled) })),
    rows: troubled.sort((one, other) => STATES.indexOf(one.state) - STATES.indexOf(other.state)),
    passing: rows.filter(({ state }) => state === 'pass').map(({ name }) => linkTo(name)),
    untested: names.filter((name) => !ofPackage.has(name)).map(linkTo),
    sentence: sentenceOf(names.length, rows.length, failing, troubled.length - failing),
  };
}

/** The same for programs: how each package is, wherever it was tested. */
export function prefixObjects(names: string[], statuses: PackageStatus[], neutral: NeutralStatus) {
  const ofPackage = byPackage(statuses);
  return names.map((name) => ({
    package: name,
    page_url: linkTo(name).url,
    statuses: (ofPackage.get(name) ?? []).map((status) => statusObject(status, neutral)),
  }));
}

function byPackage(statuses: PackageStatus[]): Map<string, PackageStatus[]> {
  const found = new Map<string, PackageStatus[]>();
  for (const status of statuses) {
    const own = found.get(status.package);
    if (own) own.push(status);
    else found.set(status.package, [status]);
  }
  return found;
}

interface Column {
  place: string;
  suite: string;
  arch: string;
}

/** Those that some package has, in the order of the configuration. */
function columnsOf(statuses: PackageStatus[], { suites, architectures }: Targets): Column[] {
  const rank = (list: string[], word: string): number =>
    list.includes(word) ? list.indexOf(word) : list.length;
  const columns = new Map(
    statuses.map(({ suite, arch }) => [`${suite}/${arch}`, { place: `${suite}/${arch}`, suite, arch }]),
  );
  return [...columns.values()].sort(
    (one, other) =>
      rank(suites, one.suite) - rank(suites, other.suite) ||
      one.suite.localeCompare(other.suite) ||
      rank(architectures, one.arch) - rank(architectures, other.arch) ||
      one.arch.localeCompare(other.arch),
  );
}

function rowView(name: string, statuses: PackageStatus[], columns: Column[], neutral: NeutralStatus) {
  const at = new Map(statuses.map((status) => [`${status.suite}/${status.arch}`, status]));
  const words: State[] = statuses.map(({ latest, isFlaky }) => {
    const status = statusOf(latest.verdict, neutral);
    return status === 'fail' || status === 'tmpfail' ? status : isFlaky ? 'flaky' : 'pass';
  });
  const url = `/packages/${packagePrefix(name)}/${name}/`;
  return {
    name,
    url,
    state: STATES.find((state) => words.includes(state)) ?? 'pass',
    cells: columns.map(({ place }) => {
      const status = at.get(place);
      const word = status ? (statusOf(status.latest.verdict, neutral) ?? 'never') : 'never';
      const isFlaky = status?.isFlaky ?? false;
      return {
        url: status ? `${url}${place}/` : null,
        word,
        isFlaky,
        label: `${word}${isFlaky ? ', flaky' : ''}: ${name} ${status?.latest.version ?? ''} on ${place}`,
      };
    }),
  };
}

function failingAt(column: Column, rows: ReturnType<typeof rowView>[]): number {
  const suffix = `/${column.place}/`;
  return rows.filter(({ cells }) => cells.some(({ url, word }) => word === 'fail' && url?.endsWith(suffix)))
    .length;
}

function linkTo(name: string): { name: string; url: string } {
  return { name, url: `/packages/${packagePrefix(name)}/${name}/` };
}

function sentenceOf(names: number, tested: number, failing: number, otherTrouble: number): string {
  const packages = names === 1 ? '1 package' : `${names} packages`;
  if (tested === 0) return `${packages}, none of which has a result yet.`;
  const trouble = [
    failing > 0 ? `${failing} ${failing === 1 ? 'fails' : 'fail'} somewhere` : '',
    otherTrouble > 0 ? `${otherTrouble} could not be tested or are flaky` : '',
  ].filter(Boolean);
  const untested = names - tested;
  const left = untested > 0 ? `; ${untested} ${untested === 1 ? 'has' : 'have'} no result yet` : '';
  return `${packages}: ${trouble.length > 0 ? trouble.join(', ') : 'all that were tested pass'}${left}.`;
}
