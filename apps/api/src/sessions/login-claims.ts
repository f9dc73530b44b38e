import { randomBytes } from 'node:crypto';
import type { ClaimSection, ProviderSection } from '@proctor/config';
import { isWord } from '@proctor/contracts';

/** What a provider says about a person; each provider has its own names of claims. */
export type Claims = Record<string, unknown>;

/** So many names are tried with a number behind them, then some with letters that are drawn. */
const NUMBERED_MAX = 20;
const DRAWN = 3;
const DRAWN_BYTES = 4;
/** Leaves room for what is put behind. */
const NAME_LENGTH_MAX = 80;

/** They stand in the place of a name in addresses below /user/. */
const RESERVED = new Set(['login', 'logout']);

/** Whether one of the values is in the claim, which is a text, a list of them, a number or a truth value. */
export function hasClaim(claims: Claims, { claim, values }: ClaimSection): boolean {
  const value = claims[claim];
  const all: unknown[] = Array.isArray(value) ? value : [value];
  return all.some((each) => isPlain(each) && values.includes(String(each)));
}

/** The claims that decide about a login, or give a name. */
export function claimsNeeded({ nameClaim, mayLogIn, administrators }: ProviderSection): string[] {
  return [nameClaim, mayLogIn?.claim, administrators?.claim].filter((claim) => claim !== undefined);
}

/** Names for a new user, the best first: what the claim says, made a word, and others like it. */
export function namesFor(claims: Claims, nameClaim: string): string[] {
  const name = wordOf(claims[nameClaim]) || 'user';
  const numbered = Array.from({ length: NUMBERED_MAX - 1 }, (_none, index) => `${name}-${index + 2}`);
  const randomNames = Array.from(
    { length: DRAWN },
    () => `${name}-${randomBytes(DRAWN_BYTES).toString('hex')}`,
  );
  return [name, ...numbered, ...randomNames].filter((each) => !RESERVED.has(each) && isWord(each));
}

function wordOf(value: unknown): string {
  if (typeof value !== 'string') return '';
  return value
    .slice(0, 1_000)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9+._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, NAME_LENGTH_MAX)
    .replace(/(?<!-)-+$/, '');
}

function isPlain(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
