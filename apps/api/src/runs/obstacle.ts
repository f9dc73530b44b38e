import type { RunRecord } from '@proctor/database';
import type { ApiConfiguration } from '../configuration.token';
import { isRejected } from './accept';

/**
 * Why a run could not be requested now, as a sentence; null if it could. The rules may have changed since its
 * request.
 */
export function obstacleTo(
  run: RunRecord,
  { server, extraAptSources, rejectList }: ApiConfiguration,
): string | null {
  if (isRejected(rejectList, run.package, run.suite, run.arch)) {
    return `${run.package} is on the reject list for ${run.suite}/${run.arch}.`;
  }
  const thing = [
    missing('suite', [run.suite, ...run.pinPackages.map(([, suite]) => suite)], server.suites),
    missing('architecture', [run.arch], server.architectures),
    missing('backend', [run.backend], server.backends),
    missing('variant', [run.variant], server.variants),
    missing(
      'apt source',
      run.extraAptSources,
      extraAptSources.map((source) => source.name),
    ),
  ].find((name) => name !== null);
  return thing === undefined ? null : `There is no longer ${/^a/.test(thing) ? 'an' : 'a'} ${thing}.`;
}

function missing(what: string, names: string[], choices: string[]): string | null {
  const name = names.find((each) => !choices.includes(each));
  return name === undefined ? null : `${what} ${name}`;
}
