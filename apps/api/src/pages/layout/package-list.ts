import { isPackageName } from '@proctor/contracts';
import { queryValue, validName } from '../../http/parameter-values';

/** Number of packages on one page of a list. */
export const PACKAGES_SHOWN_MAX = 500;

/** The links to the other pages of a list of packages. */
export interface ListPages {
  isFirst: boolean;
  /** The address of the current page. */
  hereUrl: string;
  firstUrl: string;
  /** Null on the last page. */
  nextUrl: string | null;
}

/** Reads the parameter `after` of a list: the last package of the previous page; empty on the first page. */
export const AFTER_PACKAGE = queryValue(validName('the name of a package', isPackageName), '');

/** @param lastName the last package of this page; null when there is no next page */
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
