import { type OtherVersion, packagesOfTrigger } from '@proctor/contracts';
import type { Installed } from './package-difference';

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
