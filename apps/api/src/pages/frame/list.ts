import type { PipeTransform } from '@nestjs/common';
import { isPackageName, describe } from '@proctor/contracts';
import { badRequest } from '../../http/problem';

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

/** The parameter `after` of a list: the package after which a part begins; empty at the beginning. */
export class AfterPipe implements PipeTransform<unknown, string> {
  /** @throws Problem 400 when it is not the name of a package */
  transform(after: unknown): string {
    if (after === undefined || after === '') return '';
    if (typeof after === 'string' && isPackageName(after)) return after;
    throw badRequest(`after must be the name of a package, not ${describe(after)}.`);
  }
}

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
