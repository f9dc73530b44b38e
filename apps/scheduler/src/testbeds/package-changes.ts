import type { PackageChange, RunRecord } from '@proctor/database';
import { type Installed, packageDifference } from '@proctor/result-files';

/**
 * The packages that changed between two runs. For a package that changed to a version of the later run's trigger, the
 * source of the trigger is listed too; these come first.
 */
export function packageChanges(
  { trigger }: Pick<RunRecord, 'trigger'>,
  before: Installed,
  now: Installed,
): PackageChange[] {
  const changed = packageDifference(before, now).changed.map(({ name, a, b }) => {
    return { package: name, from: a ?? '', to: b ?? '' };
  });
  const names = new Set(changed.map((change) => change.package));
  const sources = (trigger ?? '').split(' ').flatMap((word): PackageChange[] => {
    const [source = '', version = ''] = word.split('/');
    const binary = changed.find(({ to }) => version !== '' && to === version);
    return binary && !names.has(source) ? [{ ...binary, package: source }] : [];
  });
  return [...sources, ...changed];
}
