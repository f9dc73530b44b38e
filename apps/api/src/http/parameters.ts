import { describe, wellFormed } from '@proctor/contracts';
import { badRequestAt } from './problem';

/** A named value of a request, from any place. */
export interface Parameter {
  value: unknown;
  /**
   * Whether `value` is a string that must still be parsed: from the query, a form field or an uploaded file. A long
   * list of tests stays as bytes: see `withList`.
   */
  isText: boolean;
  /** The place in the body, as a JSON pointer in URI fragment form; null for the query. */
  pointer: string | null;
}

/** A value of Express's query: an array if it was sent several times. */
export function asParameter(value: unknown): Parameter {
  return { value, isText: typeof value === 'string', pointer: null };
}

/** Parameters by name. It is a Map because clients choose the names. */
export type Parameters = Map<string, Parameter>;

export type TextField = [name: string, text: string];

/** A field with a long text may come as bytes. */
type SentField = [name: string, text: string | Buffer];

/**
 * A name that ends in `[]` may come several times: its value is then an array.
 * @param pointerOf the place of a name in the body; null for the query
 * @throws Problem 400 for any other name that is sent twice
 */
export function textParameters(fields: SentField[], pointerOf: (name: string) => string | null): Parameters {
  const parameters: Parameters = new Map();
  for (const [name, value] of fields) {
    const pointer = pointerOf(name);
    const before = parameters.get(name);
    if (before && name.endsWith('[]')) {
      parameters.set(name, { value: [before.value, value].flat(), isText: false, pointer });
      continue;
    }
    if (before) throw badRequestAt(`${describe(name)} is given more than once.`, pointer);
    parameters.set(name, { value, isText: true, pointer });
  }
  return parameters;
}

/**
 * The parameters of a JSON body: the keys of an object; an array is the list of tests itself.
 * @throws Problem 400 for any other value
 */
export function jsonParameters(body: unknown): Parameters {
  if (Array.isArray(body)) return new Map([['tests', { value: body, isText: false, pointer: '#' }]]);
  if (typeof body !== 'object' || body === null) {
    throw badRequestAt(`The JSON body must be an object or an array, not ${describe(body)}.`, '#');
  }
  const parameter = ([name, value]: [string, unknown]): [string, Parameter] => [
    name,
    { value, isText: false, pointer: pointerTo('#', name) },
  ];
  return new Map(Object.entries(body).map(parameter));
}

/** A parameter of the body replaces one of the query. */
export function merge(query: Parameters, body: Parameters): Parameters {
  return new Map([...query, ...body]);
}

/** Extends a JSON pointer in URI fragment form by one key. */
export function pointerTo(pointer: string, key: string | number): string {
  const token = String(key).replaceAll('~', '~0').replaceAll('/', '~1');
  return `${pointer}/${encodeURIComponent(wellFormed(token))}`;
}
