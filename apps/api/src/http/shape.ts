import { fieldsOf } from '@proctor/resources';
import { Allow, getMetadataStorage } from 'class-validator';
import type { ApiConfiguration } from '../configuration.token';
import type { Parameter } from './parameters';

/** How a field of a class is read from a request's parameters. */
export interface Source {
  /**
   * How a text of a form or query is parsed; it stays a text without this. Values of a JSON body are used as they
   * are.
   */
  text?: 'json' | 'boolean';
  /** Another spelling of the field's name. */
  alias?: string;
  /** The end of the sentence for an absent field; without it the rules decide. */
  missing?: string;
  /**
   * Reads the value.
   * @param name in the client's spelling
   * @throws Problem 400 for an invalid value; 413 for one that is too long
   */
  read?: (parameter: Parameter, name: string, server: ApiConfiguration['server']) => unknown;
}

const SOURCE = Symbol('source');
const jsonNames = new Set<string>();

/** Describes how a field is read if its name and type do not show it. */
export function From(source: Source): PropertyDecorator {
  return (target, key) => {
    Reflect.defineMetadata(SOURCE, source, target, key);
    // Makes the field one of the class's keys, also without a rule.
    Allow()(target, key);
    if (source.text === 'json')
      [String(key), source.alias ?? String(key)].forEach((name) => jsonNames.add(name));
  };
}

/** A field with a boolean schema is also read as one from text. */
export function sourceOf(shape: Shape, key: string): Source {
  const source = Reflect.getMetadata(SOURCE, shape.prototype as object, key) as Source | undefined;
  return source ?? (booleansOf(shape).has(key) ? { text: 'boolean' } : {});
}

const booleans = new WeakMap<Shape, ReadonlySet<string>>();

function booleansOf(shape: Shape): ReadonlySet<string> {
  const earlier = booleans.get(shape);
  if (earlier) return earlier;
  const described = [...fieldsOf(shape)].filter(([, { json }]) => json.type === 'boolean');
  const names = new Set(described.map(([name]) => name));
  booleans.set(shape, names);
  return names;
}

/** Whether a field of that name is JSON in any class. */
export function isJsonName(name: string): boolean {
  return jsonNames.has(name);
}

/** A class whose fields have rules of class-validator. */
export type Shape<T extends object = object> = new () => T;

const keysOfShapes = new WeakMap<Shape, ReadonlySet<string>>();

/** The names of a class's fields, inherited ones first. */
export function keysOf(shape: Shape): ReadonlySet<string> {
  const earlier = keysOfShapes.get(shape);
  if (earlier) return earlier;
  const rules = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
  const inherited = rules.filter(({ target }) => target !== shape);
  const own = rules.filter(({ target }) => target === shape);
  const keys = new Set([...inherited, ...own].map(({ propertyName }) => propertyName));
  keysOfShapes.set(shape, keys);
  return keys;
}

/** Copies the fields of a client's object one by one: a key named `__proto__` must not become a prototype. */
export function copyOf<T extends object>(shape: Shape<T>, raw: object): T {
  const copy = new shape();
  const fields = copy as Record<string, unknown>;
  for (const key of keysOf(shape)) {
    if (Object.hasOwn(raw, key)) fields[key] = (raw as Record<string, unknown>)[key];
  }
  return copy;
}
