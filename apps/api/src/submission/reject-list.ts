import type { RejectList } from '@proctor/config';

/**
 * Whether a request is refused before its version is known: an entry with a version blocks later, on the worker.
 * Only own keys count: `constructor` is a package name like any other.
 */
export function isRejected(list: RejectList, name: string, suite: string, arch: string): boolean {
  const suites = own(list, name);
  return [suite, '*'].some((suiteKey) =>
    [arch, '*'].some((archKey) => own(own(own(suites, suiteKey), archKey), '*') !== undefined),
  );
}

function own<T>(record: Record<string, T> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}
