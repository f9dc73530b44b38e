import type { Parameter } from '../http/parameters';
import { text, unlessEmpty } from '../http/parameter-values';

const TEXT_LENGTH_MAX = 300;

/** A text of a list's query; an empty field of its form counts as left out. */
export const formText = unlessEmpty(text(TEXT_LENGTH_MAX));

/** A value of a form whose empty field counts as left out. */
export function absentWhenEmpty({ value, isText }: Parameter): unknown {
  return isText && value === '' ? undefined : value;
}
