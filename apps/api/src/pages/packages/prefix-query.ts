import { isPackageName, isWord } from '@proctor/contracts';
import { PACKAGE_STATES, type PackageOfPrefix, type PackageState } from '@proctor/database';
import { cursor } from '../../http/parts';
import { nameThat } from '../../http/path-ids';
import { fromQuery, validName, oneOf, queryOf, queryValue } from '../../http/parameter-values';
import type { ListPages } from '../layout/package-list';

const BY_STATE = cursor<PackageOfPrefix>(
  'a state and the name of a package as fail:hello',
  { state: (text) => PACKAGE_STATES.find((each) => each === text) ?? null, name: nameThat(isPackageName) },
  ':',
);

/** The query parameters of a prefix page; null when a parameter is not given. */
export interface PrefixQuery {
  /** Only packages in this state. */
  status: PackageState | null;
  suite: string | null;
  arch: string | null;
  /** The last package of the previous page; null on the first page. */
  after: PackageOfPrefix | null;
}

/** Reads the query of a prefix page. An empty form field counts as not given. */
export const PREFIX_QUERY = queryOf<PrefixQuery>({
  status: queryValue(oneOf(PACKAGE_STATES)),
  suite: (query) =>
    fromQuery('suite', query['suite'] ?? query['suite[]'], validName('the name of a suite', isWord)),
  arch: (query) =>
    fromQuery('arch', query['arch'] ?? query['arch[]'], validName('the name of an architecture', isWord)),
  after: queryValue(BY_STATE.decode),
});

/** Writes the query of a prefix page, with its `?`; empty when no parameter is given. */
export function prefixQuery({ status, suite, arch, after }: PrefixQuery): string {
  const values = { status, suite, arch, after: after && BY_STATE.encode(after) };
  const parameters = new URLSearchParams(
    Object.entries(values).flatMap(([name, value]): [string, string][] =>
      value === null ? [] : [[name, value]],
    ),
  );
  return parameters.size > 0 ? `?${parameters.toString()}` : '';
}

/** @param last the last package of this page; null when there is no next page */
export function prefixPages(url: string, query: PrefixQuery, last: PackageOfPrefix | null): ListPages {
  const urlAfter = (after: PackageOfPrefix | null): string => `${url}${prefixQuery({ ...query, after })}`;
  return {
    isFirst: query.after === null,
    hereUrl: urlAfter(query.after),
    firstUrl: urlAfter(null),
    nextUrl: last && urlAfter(last),
  };
}
