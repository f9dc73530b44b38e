import { describe, isStorable, isWord } from '@proctor/contracts';
import { asParameter } from './parameters';
import type { Parameter } from './parameters';
import { badRequest, badRequestAt } from './problem';

/** Reads the value of a parameter. @throws Problem 400 that names the parameter and its value */
export type ReadValue<T> = (parameter: Parameter, name: string) => T;

const NAME_LENGTH_MAX = 1_000;

/** @param what the end of the message `package must be …` */
export function validName(what: string, isName: (text: string) => boolean): ReadValue<string> {
  return ({ value, pointer }, name) => {
    const isText = typeof value === 'string' && value.length <= NAME_LENGTH_MAX && isStorable(value);
    if (isText && isName(value)) return value;
    throw badRequestAt(`${name} must be ${what}, not ${describe(value)}.`, pointer);
  };
}

export function text(lengthMax: number): ReadValue<string> {
  return ({ value, pointer }, name) => {
    if (typeof value !== 'string')
      throw badRequestAt(`${name} must be one text, not ${describe(value)}.`, pointer);
    if (value.length <= lengthMax && isStorable(value)) return value;
    const rule = `must be a text of at most ${lengthMax} characters`;
    throw badRequestAt(`${name} ${rule}, not ${describe(value)}.`, pointer);
  };
}

/** The maximum number of wildcards in a pattern: with thousands, the database needs seconds for each long text. */
export const WILDCARDS_MAX = 10;

/** Reads a text in which `*` stands for any characters. */
export function pattern(lengthMax: number): ReadValue<string> {
  const read = text(lengthMax);
  return (parameter, name) => {
    const value = read(parameter, name);
    const count = value.split('*').length - 1;
    if (count <= WILDCARDS_MAX) return value;
    throw badRequestAt(
      `${name} may have * at most ${WILDCARDS_MAX} times, not ${count} times.`,
      parameter.pointer,
    );
  };
}

export function oneOf<Word extends string | number>(words: readonly Word[]): ReadValue<Word> {
  return ({ value, pointer }, name) => {
    const word = words.find((each) => String(each) === value);
    if (word !== undefined) return word;
    throw badRequestAt(`${name} must be one of ${words.join(', ')}, not ${describe(value)}.`, pointer);
  };
}

/** Words separated by commas, or an array in JSON. They are returned in the order of `words`. */
export function someOf<Word extends string>(words: readonly Word[]): ReadValue<Word[]> {
  return ({ value, pointer }, name) => {
    const items: unknown[] = itemsOf(value);
    const choice = words.filter((word) => items.includes(word));
    if (items.length > 0 && items.every((word) => choice.includes(word as Word))) return choice;
    throw badRequestAt(`${name} must be of ${words.join(', ')}, not ${describe(value)}.`, pointer);
  };
}

/** The items of an array of JSON, or of a text with commas between them. */
export function itemsOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [value];
}

/** The words of a text that a person has typed, with commas or white space between them. */
export function wordsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}

/** A whole number: text of a query or form, or a number in JSON. */
export function wholeNumber(least: number, most: number): ReadValue<number> {
  return numberThat(`a whole number from ${least} to ${most}`, least, most);
}

/** @param what for the message, such as `the id of a run` */
export function idOf(what: string, most = Number.MAX_SAFE_INTEGER): ReadValue<number> {
  return numberThat(`the id of ${what}`, 1, most);
}

function numberThat(what: string, least: number, most: number): ReadValue<number> {
  return ({ value, pointer }, name) => {
    const isNumber =
      typeof value === 'number' || (typeof value === 'string' && /^(?:0|[1-9]\d{0,15})$/.test(value));
    const number = isNumber ? Number(value) : NaN;
    if (Number.isInteger(number) && number >= least && number <= most) return number;
    throw badRequestAt(`${name} must be ${what}, not ${describe(value)}.`, pointer);
  };
}

/** An empty form field counts as absent. */
export function unlessEmpty<T>(read: ReadValue<T>): ReadValue<T | undefined> {
  return (parameter, name) => (parameter.value === '' ? undefined : read(parameter, name));
}

/**
 * Reads a value of Express's query; null if it is absent, or an empty form field.
 * @throws Problem 400 that names the parameter and its value
 */
export function fromQuery<T>(name: string, value: unknown, read: ReadValue<T>): T | null {
  if (value === undefined || value === '') return null;
  return read(asParameter(value), name);
}

/** Reads one value of a query: see `queryValue`. */
interface QueryValue<T> {
  /** @throws Problem 400 that names the parameter and its value */
  transform(value: unknown, metadata: { data?: string | undefined }): T;
}

/**
 * The pipe of a value in a query: `@Query('page', queryValue(wholeNumber(1, 99)))`.
 * @param absent the value if the query has none, or an empty form field; null by default
 */
export function queryValue<T>(read: ReadValue<T>): QueryValue<T | null>;
export function queryValue<T>(read: ReadValue<T>, absent: T): QueryValue<T>;
export function queryValue<T>(read: ReadValue<T>, absent: T | null = null): QueryValue<T | null> {
  return { transform: (value, { data }) => fromQuery(data!, value, read) ?? absent };
}

/** A query from Express. */
type Query = Record<string, unknown>;

/**
 * Builds the pipe of a whole query from the pipes of its parameters. A value that is not one parameter has a function
 * that reads it from the query.
 */
export function queryOf<Values>(values: {
  [Name in keyof Values]: QueryValue<Values[Name]> | ((query: Query) => Values[Name]);
}) {
  const entries = Object.entries<QueryValue<unknown> | ((query: Query) => unknown)>(values);
  const transform = (query: Query): Values =>
    Object.fromEntries(
      entries.map(([name, value]) => [
        name,
        typeof value === 'function' ? value(query) : value.transform(query[name], { data: name }),
      ]),
    ) as Values;
  return { transform };
}

const WORDS_MAX = 50;

/**
 * The suites or architectures of a query: separated by commas, or in several parameters, with or without `[]` after
 * the name; null if there are none.
 * @throws Problem 400 for a text that is no such name, and for too many
 */
export function wordsIn(query: Query, name: 'suite' | 'arch'): string[] | null {
  const items = [query[name], query[`${name}[]`]].flat().filter((each) => each !== undefined);
  const words = items.flatMap((each) => (typeof each === 'string' ? each.split(',') : [each]));
  const validName = words.filter((word) => word !== '');
  const odd = validName.find((word) => typeof word !== 'string' || !isWord(word));
  const what = name === 'suite' ? 'suites' : 'architectures';
  if (odd !== undefined) throw badRequest(`${name} must be names of ${what}, and ${describe(odd)} is none.`);
  if (validName.length > WORDS_MAX) throw badRequest(`${name} must name ${WORDS_MAX} ${what} at most.`);
  return validName.length === 0 ? null : [...new Set(validName as string[])];
}

/** Like `wordsIn`, for at most one name. @throws Problem 400 also for two names */
export function wordIn(query: Query, name: 'suite' | 'arch'): string | null {
  const [word = null, ...others] = wordsIn(query, name) ?? [];
  if (others.length === 0) return word;
  throw badRequest(`${name} must be one name, not ${describe([word, ...others].join(','))}.`);
}

/** Reads `true` or `false` from a query; null if it is absent. @throws Problem 400 for any other text */
export function flagIn(query: Query, name: string): boolean | null {
  const word = fromQuery(name, query[name], oneOf(['true', 'false']));
  return word === null ? null : word === 'true';
}
