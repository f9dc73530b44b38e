import { packagesOfTrigger } from '@proctor/contracts';
import type { RunRecord } from '@proctor/database';

/** The versions of the run's own package that its trigger names; null when one of them was tested, or none is named. */
export function wantedVersions({ package: name, trigger, version }: RunRecord): string[] | null {
  if (version === null || version === 'n/a') return null;
  const versions = packagesOfTrigger(trigger).flatMap((each) => (each.name === name ? [each.version] : []));
  return versions.length === 0 || versions.includes(version) ? null : versions;
}
