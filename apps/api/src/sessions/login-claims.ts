import { randomBytes } from 'node:crypto';
import type { ClaimSection, ProviderSection } from '@proctor/config';
import { isWord } from '@proctor/contracts';

/** A provider's data about a person; each provider has its own names of claims. */
export type Claims = Record<string, unknown>;

/** How many names with a number are tried, before some with random letters. */
const NUMBERED_MAX = 20;
const DRAWN = 3;
const DRAWN_BYTES = 4;
/** Leaves space for the number or the letters. */
const NAME_LENGTH_MAX = 80;

/** These words have the place of a name in addresses below /user/. */
const RESERVED = new Set(['login', 'logout']);

/** Whether the claim contains one of the values; it may be a text, a list of texts, a number or a boolean. */
export function hasClaim(claims: Claims, { claim, values }: ClaimSection): boolean {
  const value = claims[claim];
  const all: unknown[] = Array.isArray(value) ? value : [value];
  return all.some((each) => isPlain(each) && values.includes(String(each)));
}

/** The claims that decide about a login, or contain a name. */
export function claimsNeeded({ nameClaim, mayLogIn, administrators }: ProviderSection): string[] {
  return [nameClaim, mayLogIn?.claim, administrators?.claim].filter((claim) => claim !== undefined);
}

/** Names for a new user, the best first: the text of the claim as a word, and similar ones. */
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
