import { type CustomTypesConfig, types } from 'pg';

/** PostgreSQL's numbers of the types bigint and bigint[]. */
const BIGINT = 20;
const BIGINT_ARRAY = 1016;

type Parser = (text: string) => unknown;

const parserOf = types.getTypeParser as (type: number, format?: 'text' | 'binary') => Parser;

/**
 * How connections read PostgreSQL's types: as pg does, but a bigint becomes a number. Ids, epochs, counts and sizes
 * stay below 2^53; a larger value would be rounded, so it makes the statement fail.
 */
export const NUMERIC_TYPES: CustomTypesConfig = {
  getTypeParser: ((type: number, format?: 'text' | 'binary'): Parser => {
    if (format !== 'binary' && type === BIGINT) return exactNumber;
    if (format !== 'binary' && type === BIGINT_ARRAY) return exactNumbers;
    return parserOf(type, format);
  }) as CustomTypesConfig['getTypeParser'],
};

/** @throws RangeError if a number cannot hold the value exactly */
function exactNumber(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(`the bigint ${text} is beyond what a number holds exactly`);
}

function exactNumbers(text: string): (number | null)[] {
  const strings = parserOf(BIGINT_ARRAY)(text) as (string | null)[];
  return strings.map((each) => (each === null ? null : exactNumber(each)));
}
