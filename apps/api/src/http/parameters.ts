import { describe, wellFormed } from '@proctor/contracts';
import { badRequestAt } from './problem';

/** A named value of a request, wherever it travelled. */
export interface Parameter {
  value: unknown;
  /**
   * From the query, a form field or an uploaded file: `value` is a string that still has to be read as what it means. A long list of
   * tests is left as its bytes: see `withList`.
   */
  isText: boolean;
  /** Where the body holds it, as a JSON pointer in URI fragment form; null when it came in the query. */
  pointer: string | null;
}

/** A value of the query as Express has read it: an array when it was given several times. */
export function asParameter(value: unknown): Parameter {
  return { value, isText: typeof value === 'string', pointer: null };
}

/** Parameters by name. A Map, since a client chooses the names. */
export type Parameters = Map<string, Parameter>;

export type TextField = [name: string, text: string];

/** A field whose text is long may come as its bytes. */
type SentField = [name: string, text: string | Buffer];

/**
 * @param pointerOf where a name is in the body; answers null for the query
 * A name that ends in `[]` may come several times: its value is an array then.
 * @throws Problem 400 for any other name that is given twice
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

/** The body wins over the query. */
export function merge(query: Parameters, body: Parameters): Parameters {
  return new Map([...query, ...body]);
}

/** Extends a JSON pointer in URI fragment form by one key. */
export function pointerTo(pointer: string, key: string | number): string {
  const token = String(key).replaceAll('~', '~0').replaceAll('/', '~1');
  return `${pointer}/${encodeURIComponent(wellFormed(token))}`;
}
