import { type OtherPackages, type OtherVersion, packagesOfTrigger } from '@proctor/contracts';
import type { PackagesRequest } from './named-packages';
import type { Installed } from './package-difference';
import { unrequestedSuites } from './unrequested-suites';

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
    const found = installed.get(name);
    if (name === run.package || found === undefined || versions.has(version)) return [];
    return [{ package: name, wanted: version, installed: found }];
  });
}
