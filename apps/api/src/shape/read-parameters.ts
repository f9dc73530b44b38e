import { badRequest, describe, refused } from '../http/problem';
import type { Parameter, Parameters } from '../transport/parameters';
import { copyOf, faultsOf } from './shape';

/**
 * Parameters as a shape wants them; one that is null counts as left out.
 * @param shape a class whose properties carry the rules of class-validator
 * @param keys all parameters that there are: where much may change at once, a misspelt one must not be passed over
 * @param readers by key, what a parameter is read as first; a text of a form or the query stays a text without one
 * @throws Problem 400
 */
export function readParameters<T extends object>(
  shape: new () => T,
  keys: readonly string[],
  parameters: Parameters,
  readers: Record<string, (parameter: Parameter) => unknown> = {},
): T {
  const values = new Map<string, unknown>();
  for (const [name, parameter] of parameters) {
    if (!keys.includes(name)) {
      const detail = `The parameter ${describe(name)} is unknown; there is ${keys.join(', ')}.`;
      throw refused(detail, parameter.pointer);
    }
    if (parameter.value !== null) values.set(name, (readers[name] ?? valueOf)(parameter));
  }
  const read = copyOf(shape, keys, Object.fromEntries(values));
  const faults = faultsOf(read).map(({ key, detail }) => ({ key, detail: `${key} ${detail}` }));
  if (faults.length === 0) return read;
  const errors = faults.flatMap(({ key, detail }) => {
    const pointer = parameters.get(key)?.pointer;
    return pointer ? [{ pointer, detail }] : [];
  });
  throw badRequest(`${faults.map(({ detail }) => detail).join('; ')}.`, errors);
}

/** `true` and `false` of a form; anything else is left to the rules. */
export function booleanOf({ value, isText }: Parameter): unknown {
  if (!isText) return value;
  return value === 'true' ? true : value === 'false' ? false : value;
}

function valueOf({ value }: Parameter): unknown {
  return value;
}
