import { type OtherVersion, packagesOfTrigger } from '@proctor/contracts';
import type { Installed } from './package-difference';

/**
 * Packages of a run's trigger, but for the tested one, that were installed by their own name in another version; none where a package of
 * the wanted version was, which is then one that is built from it.
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
