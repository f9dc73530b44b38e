import type { PipeTransform } from '@nestjs/common';
import { describe, isPackageName, isWord } from '@proctor/contracts';
import { PACKAGE_STATES, type PackageOfPrefix, type PackageState } from '@proctor/database';
import { badRequest } from '../../http/problem';
import type { ListPages } from '../frame/list';

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
export class PrefixAskedPipe implements PipeTransform<Record<string, unknown>, PrefixAsked> {
  /** @throws Problem 400 that names the field and what it holds */
  transform(query: Record<string, unknown>): PrefixAsked {
    const [status, suite, arch] = [query['status'], query['suite'], query['arch']];
    return {
      status: isGiven(status) ? stateOf('status', status) : null,
      suite: isGiven(suite) ? wordOf('suite', suite) : null,
      arch: isGiven(arch) ? wordOf('arch', arch) : null,
      after: isGiven(query['after']) ? afterOf(query['after']) : null,
    };
  }
}

/** The same as a query, to stand behind a path; empty for all packages. */
export function prefixQuery({ status, suite, arch, after }: PrefixAsked): string {
  const given = { status, suite, arch, after: after && `${after.state}:${after.name}` };
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

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== '';
}

function stateOf(name: string, value: unknown): PackageState {
  const state = PACKAGE_STATES.find((each) => each === value);
  if (state !== undefined) return state;
  throw badRequest(`${name} must be one of ${PACKAGE_STATES.join(', ')}, not ${describe(value)}.`);
}

function wordOf(name: 'suite' | 'arch', value: unknown): string {
  if (typeof value === 'string' && isWord(value)) return value;
  const what = name === 'suite' ? 'a suite' : 'an architecture';
  throw badRequest(`${name} must be the name of ${what}, not ${describe(value)}.`);
}

/** `fail:hello` */
function afterOf(value: unknown): PackageOfPrefix {
  const [word = '', name = '', ...rest] = typeof value === 'string' ? value.split(':') : [];
  const state = PACKAGE_STATES.find((each) => each === word);
  if (state !== undefined && rest.length === 0 && isPackageName(name)) return { state, name };
  throw badRequest(`after must be a state and the name of a package as fail:hello, not ${describe(value)}.`);
}
