import { validateSync } from 'class-validator';

/** One fault of an object that a client sent. */
export interface ShapeFault {
  key: string;
  /** A sentence without its subject: `must be a string, not 5`. */
  detail: string;
}

/**
 * Copies the known keys of what a client sent, one by one: a key named `__proto__` must not become a prototype.
 * @param shape a class whose properties carry the rules of class-validator
 */
export function copyOf<T extends object>(shape: new () => T, keys: readonly string[], raw: object): T {
  const copy = new shape();
  for (const key of keys) {
    if (Object.hasOwn(raw, key)) Object.assign(copy, { [key]: (raw as Record<string, unknown>)[key] });
  }
  return copy;
}

/** What breaks the rules of an instance's class, the first rule of each key. */
export function faultsOf(instance: object): ShapeFault[] {
  return validateSync(instance, { stopAtFirstError: true }).flatMap(({ property, constraints }) =>
    Object.values(constraints ?? {}).map((detail) => ({ key: property, detail })),
  );
}
