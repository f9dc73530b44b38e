import {
  type OtherPackages,
  type OtherSuite,
  type OtherVersion,
  packagesOfTrigger,
} from '@proctor/contracts';
import type { PackageVersions } from './installed-packages';
import { type PackagesRequest, isNamedBy, testedPackage, requestedPackages } from './named-packages';
import type { Installed } from './package-difference';

/** Limits, since a hostile log may have any number. */
const SUITES_MAX = 10;
const NAMES_MAX = 20;

/** Suffixes of suites that belong to another one: a request for that one includes them. */
const COMPANIONS = ['-security', '-updates', '-proposed-updates', '/updates'];
/** Suites that are not complete without another one. */
const ADDITION = /(?:-backports|-backports-sloppy|-security|-updates|-proposed-updates|\/updates)$/;
/** Names that move to another suite over time: the name alone does not show which suite it is. */
const MOVING = /^(?:(?:old)*stable|testing)$/;
const FIXED: readonly string[] = ['sid', 'experimental'];

/**
 * The packages of a run that differ from the request; the scheduler saves them for lists, and the page of a run shows
 * them.
 */
export function otherPackages(
  run: PackagesRequest,
  installed: Installed & { suites: ReadonlyMap<string, string> },
): OtherPackages {
  return { versions: otherVersions(run, installed), suites: unrequestedSuites(run, installed) };
}

/**
 * Packages of a run's trigger, except the tested one, that were installed in another version. Not listed if a package
 * of the wanted version was installed: it is built from the same source.
 */
export function otherVersions(
  run: { package: string; trigger: string | null },
  { testbed, added }: Installed,
): OtherVersion[] {
  const installed = new Map([...testbed, ...added]);
  const versions = new Set([...installed.values()].map((version) => version.replace(/\+b\d+$/, '')));
  return packagesOfTrigger(run.trigger).flatMap(({ name, version }) => {
    const installedPackage = installed.get(name);
    if (name === run.package || installedPackage === undefined || versions.has(version)) return [];
    return [{ package: name, wanted: version, installed: installedPackage }];
  });
}

/**
 * Suites that were not requested, but from which the tested package came, or one that the trigger or the pins name.
 * Empty for a run with extra apt sources, since these have suites of their own.
 */
export function unrequestedSuites(
  run: PackagesRequest,
  { added, suites }: { added: PackageVersions; suites: ReadonlyMap<string, string> },
): OtherSuite[] {
  if (run.extraAptSources.length > 0) return [];
  const words = [...testedPackage(run), ...requestedPackages(run)];
  const packagesBySuite = new Map<string, string[]>();
  for (const [name, suite] of suites) {
    if (isRequested(suite, run) || !isNamedBy(words, name, added.get(name) ?? null)) continue;
    packagesBySuite.set(suite, [...(packagesBySuite.get(suite) ?? []), name]);
  }
  return [...packagesBySuite].slice(0, SUITES_MAX).map(([suite, names]) => {
    const packages = names.sort().slice(0, NAMES_MAX);
    return { suite, packages, more: names.length - packages.length };
  });
}

function isRequested(name: string, run: PackagesRequest): boolean {
  const suite = oneName(name);
  const pinned = run.pinPackages.map(([, from]) => oneName(from));
  const own = oneName(run.suite);
  const whole = own.replace(ADDITION, '');
  const requested = [own, whole, ...COMPANIONS.map((companion) => whole + companion), ...pinned];
  // Experimental has only what differs from sid.
  if (requested.includes('experimental')) requested.push('sid');
  return requested.includes(suite) || requested.some((each) => canBeTheSame(each, suite));
}

/** Whether one of them is a moving name that may be the other suite. */
function canBeTheSame(one: string, other: string): boolean {
  const [a, b] = [one.replace(ADDITION, ''), other.replace(ADDITION, '')];
  return MOVING.test(a) !== MOVING.test(b) && !FIXED.includes(a) && !FIXED.includes(b);
}

function oneName(suite: string): string {
  return suite === 'unstable' ? 'sid' : suite === 'rc-buggy' ? 'experimental' : suite;
}
