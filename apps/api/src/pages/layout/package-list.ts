import { isPackageName } from '@proctor/contracts';
import { queryValue, validName } from '../../http/parameter-values';

/** Packages that one page of a list shows. */
export const PACKAGES_SHOWN_MAX = 500;

/** How the other parts of a list of packages are reached. */
export interface ListPages {
  isFirst: boolean;
  /** Of this part itself. */
  hereUrl: string;
  firstUrl: string;
  /** Null on the last page. */
  nextUrl: string | null;
}

/** The parameter `after` of a list: the last package of the part before; empty at the beginning. */
export const AFTER_PACKAGE = queryValue(validName('the name of a package', isPackageName), '');

/** @param lastName of the packages shown, when there are more */
export function listPages(
  url: string,
  after: string,
  lastName: string | null,
  status: string | null = null,
): ListPages {
  const urlAfter = (name: string): string => {
    const parameters = new URLSearchParams({ ...(status && { status }), ...(name && { after: name }) });
    return parameters.size > 0 ? `${url}?${parameters.toString()}` : url;
  };
  return {
    isFirst: after === '',
    hereUrl: urlAfter(after),
    firstUrl: urlAfter(''),
    nextUrl: lastName === null ? null : urlAfter(lastName),
  };
}
