import type { RejectList } from './configuration';

/**
 * The versions of a package that are rejected on a suite and architecture, `*` among them when all are.
 * Only own keys count: `constructor` is a package name like any other.
 */
export function rejectedVersions(list: RejectList, name: string, suite: string, arch: string): string[] {
  const suites = own(list, name);
  if (!suites) return [];
  const versions = [suite, '*'].flatMap((suiteKey) =>
    [arch, '*'].flatMap((archKey) => Object.keys(own(own(suites, suiteKey), archKey) ?? {})),
  );
  return [...new Set(versions)];
}

function own<T>(record: Record<string, T> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}
