import type { RejectList } from './configuration';

/**
 * The rejected versions of a package on a suite and architecture, or `*` if all are rejected. Entries match by the
 * whole name or by a prefix. Only own keys count: `constructor` is a package name like any other.
 */
export function rejectedVersions(list: RejectList, name: string, suite: string, arch: string): string[] {
  const keys = beginningsIn(list).filter((each) => name.startsWith(each.slice(0, -1)));
  if (Object.hasOwn(list, name)) keys.unshift(name);
  // Most packages are on no list, and many requests need the answer.
  if (keys.length === 0) return [];
  const versions = keys.flatMap((key) =>
    [suite, '*'].flatMap((suiteKey) =>
      [arch, '*'].flatMap((archKey) => Object.keys(own(own(own(list, key), suiteKey), archKey) ?? {})),
    ),
  );
  return [...new Set(versions)];
}

const prefixesByList = new WeakMap<RejectList, string[]>();

/** The prefixes in the list: names that end with `*`. They are cached since many requests need them. */
function beginningsIn(list: RejectList): string[] {
  const before = prefixesByList.get(list);
  if (before) return before;
  const beginnings = Object.keys(list).filter((name) => name.endsWith('*'));
  prefixesByList.set(list, beginnings);
  return beginnings;
}

function own<T>(record: Record<string, T> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}
