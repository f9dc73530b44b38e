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

/** What the parameters of the address of a prefix ask for; null where it does not matter. */
export interface PrefixAsked {
  /** Packages that are so on some place. */
  status: PackageState | null;
  suite: string | null;
  arch: string | null;
  /** The last package of the part before; null at the beginning. */
  after: PackageOfPrefix | null;
}

/** The query of the packages of a prefix; an empty field of its form counts as left out. */
export const PREFIX_QUERY = queryOf<PrefixAsked>({
  status: queryValue(oneOf(PACKAGE_STATES)),
  suite: (query) =>
    fromQuery('suite', query['suite'] ?? query['suite[]'], validName('the name of a suite', isWord)),
  arch: (query) =>
    fromQuery('arch', query['arch'] ?? query['arch[]'], validName('the name of an architecture', isWord)),
  after: queryValue(BY_STATE.decode),
});

/** The same as a query, to stand behind a path; empty for all packages. */
export function prefixQuery({ status, suite, arch, after }: PrefixAsked): string {
  const given = { status, suite, arch, after: after && BY_STATE.encode(after) };
  const parameters = new URLSearchParams(
    Object.entries(given).flatMap(([name, value]): [string, string][] =>
      value === null ? [] : [[name, value]],
    ),
  );
  return parameters.size > 0 ? `?${parameters.toString()}` : '';
}

/** @param last of the packages shown, when there are more */
export function prefixPages(url: string, asked: PrefixAsked, last: PackageOfPrefix | null): ListPages {
  const urlAfter = (after: PackageOfPrefix | null): string => `${url}${prefixQuery({ ...asked, after })}`;
  return {
    isFirst: asked.after === null,
    hereUrl: urlAfter(asked.after),
    firstUrl: urlAfter(null),
    nextUrl: last && urlAfter(last),
  };
}
