import { packagesOfTrigger } from '@proctor/contracts';
import type { RunRecord } from '@proctor/database';

/** The versions of the run's own package in its trigger; null if one of them was tested, or there is none. */
export function wantedVersions({ package: name, trigger, version }: RunRecord): string[] | null {
  if (version === null || version === 'n/a') return null;
  const versions = packagesOfTrigger(trigger).flatMap((each) => (each.name === name ? [each.version] : []));
  return versions.length === 0 || versions.includes(version) ? null : versions;
}
