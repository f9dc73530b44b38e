import { MESSAGE_LENGTH_MAX, oneLine, type TestRequest } from '@proctor/contracts';
import type { Symptoms } from './trouble';

/** The package that is tested, and the places where it is searched. */
export type PackageSearch = Pick<TestRequest, 'package' | 'suite' | 'arch' | 'pinPackages'> & {
  extraAptSources: { name: string }[];
};

/** The message of runners that could not get a source package, for another reason than a failed download. */
const NO_SOURCE = /rules extract failed with exit code 1\b/;

/** Lines of another failure: the lists are not complete, or the package exists and could not be unpacked. */
const WAS_THERE = /^ *(?:\d+s )?(?:dpkg-source: error|E: |W: Failed to fetch|W: Some index files)/m;

/**
 * Why nothing was tested when the suite has no such source package; null when it has one, or it is not known. The
 * runner searches in everything that its testbed knows: apt names a package that is in no list, and says nothing about
 * one that has no binary package for the architecture.
 */
export function absenceOf(search: PackageSearch, { exitCode, message, log }: Symptoms): string | null {
  const isErroneous = exitCode === 12 || exitCode === 14;
  if (!isErroneous || !NO_SOURCE.test(message)) return null;
  const end = afterSetUp(log, search.package);
  if (WAS_THERE.test(end.replaceAll(unlocated(search.package), ''))) return null;
  // The source of a pinned package is requested from its suite, and no log has apt's message about it.
  const isPinned = search.pinPackages.some(([spec]) => spec.split(',').includes(`src:${search.package}`));
  const isNowhere = isPinned || end.search(unlocated(search.package)) >= 0;
  const places = [
    search.suite,
    ...new Set(search.pinPackages.map(([, suite]) => suite)),
    ...search.extraAptSources.map(({ name }) => `the source ${name}`),
  ];
  const has = places.length === 1 ? `${places[0]} has` : `${joinPlaces(places)} have`;
  const what = isNowhere
    ? `${has} no source package ${search.package}`
    : `${has} nothing of the source package ${search.package} for ${search.arch}`;
  return oneLine(what, MESSAGE_LENGTH_MAX);
}

/** The part of the runner's log after it started to fetch the source. */
function afterSetUp(log: string, packageName: string): string {
  const begin = log.lastIndexOf(`apt-source ${packageName}`);
  return begin < 0 ? log : log.slice(begin);
}

/** Apt's message that no list names a package. Names have no other special characters of a pattern than these. */
function unlocated(packageName: string): RegExp {
  const name = packageName.replace(/[.+]/g, '\\$&');
  return new RegExp(
    `[WEN]: (?:Unable to locate package|Unable to find a source package for) ${name}(?![a-z0-9+.-])`,
    'gm',
  );
}

function joinPlaces(places: string[]): string {
  return `${places.slice(0, -1).join(', ')} and ${places.at(-1)}`;
}
