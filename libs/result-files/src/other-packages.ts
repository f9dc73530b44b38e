import type { OtherPackages } from '@proctor/contracts';
import type { RequestedRun } from './named-packages';
import { otherVersions } from './other-versions';
import type { Installed } from './package-difference';
import { unrequestedSuites } from './unrequested-suites';

/**
 * The packages of a run that differ from the request; the scheduler saves them for lists, and the page of a run shows
 * them.
 */
export function otherPackages(
  run: RequestedRun,
  installed: Installed & { suites: ReadonlyMap<string, string> },
): OtherPackages {
  return { versions: otherVersions(run, installed), suites: unrequestedSuites(run, installed) };
}
