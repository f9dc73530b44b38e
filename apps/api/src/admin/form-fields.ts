import type { Parameter } from '../http/parameters';
import { text, unlessEmpty } from '../http/parameter-values';

const TEXT_LENGTH_MAX = 300;

/** Reads a text in the query of a list; an empty form field counts as absent. */
export const formText = unlessEmpty(text(TEXT_LENGTH_MAX));

/** Returns the value of a form field, or undefined if the field is empty. */
export function absentWhenEmpty({ value, isText }: Parameter): unknown {
  return isText && value === '' ? undefined : value;
}
