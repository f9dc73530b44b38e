import { must } from '@proctor/contracts';
import { IsBoolean, IsIn } from 'class-validator';

/** JSON Schema (2020-12), as far as the API's document uses it. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  oneOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  additionalProperties?: JsonSchema | boolean;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  pattern?: string;
  format?: string;
  default?: unknown;
  example?: unknown;
  /** Used in parameters of queries only. */
  allowEmptyValue?: boolean;
}

/** How the document describes values of a type, and which rules a value of a request must keep. */
export interface Schema<T> {
  json: JsonSchema;
  /** Decorators of class-validator. */
  rules: PropertyDecorator[];
  /** The type alone: no schema has a value of it. */
  readonly type?: T;
}

/** A class whose fields are described, or a schema. */
export type Described<T> = Schema<T> | (new () => T & object);

const REFERENCE = '#/components/schemas/';

/** What has a name in the document: it is referred to, and described once. */
const components = new Map<string, () => JsonSchema>();

/** @throws Error when two schemas have one name: a client could not distinguish them */
export function addComponent(schemaName: string, describe: () => JsonSchema): void {
  if (components.has(schemaName)) throw new Error(`there are two schemas of the name ${schemaName}`);
  components.set(schemaName, describe);
}

/** @throws Error when there is none of that name */
export function schemaNamed(schemaName: string): JsonSchema {
  const describe = components.get(schemaName);
  if (!describe) throw new Error(`there is no schema ${schemaName}`);
  return describe();
}

/** All schemas that a part of the document refers to, directly or through others, by name. */
export function schemasIn(part: unknown): Map<string, JsonSchema> {
  const schemas = new Map<string, JsonSchema>();
  const collect = (value: unknown): void => {
    for (const [, schemaName = ''] of JSON.stringify(value).matchAll(
      /"\$ref":"#\/components\/schemas\/(\w+)"/g,
    )) {
      if (schemas.has(schemaName)) continue;
      const schema = schemaNamed(schemaName);
      schemas.set(schemaName, schema);
      collect(schema);
    }
  };
  collect(part);
  return schemas;
}

/** A class is referred to, a schema stands where it is used. */
export function jsonOf(described: Described<unknown>): JsonSchema {
  return typeof described === 'function' ? referenceTo(componentName(described)) : described.json;
}

/** `KeyResource` is `Key` to clients. */
export function componentName(shape: { name: string }): string {
  return shape.name.replace(/Resource$/, '');
}

function referenceTo(schemaName: string): JsonSchema {
  return { $ref: `${REFERENCE}${schemaName}` };
}

function schema<T>(json: JsonSchema, rules: PropertyDecorator[] = []): Schema<T> {
  return { json, rules };
}

export function text(options: Omit<JsonSchema, 'type'> = {}): Schema<string> {
  return schema({ type: 'string', ...options });
}

export function whole(options: Omit<JsonSchema, 'type'> = {}): Schema<number> {
  return schema({ type: 'integer', ...options });
}

export function decimal(options: Omit<JsonSchema, 'type'> = {}): Schema<number> {
  return schema({ type: 'number', ...options });
}

export function flag(options: Omit<JsonSchema, 'type'> = {}): Schema<boolean> {
  return schema({ type: 'boolean', ...options }, [IsBoolean(must('be true or false'))]);
}

/** One of some words. */
export function words<const W extends string>(
  of: readonly W[],
  options: Omit<JsonSchema, 'type' | 'enum'> = {},
): Schema<W> {
  return schema({ type: 'string', enum: [...of], ...options }, [
    IsIn(of, must(`be one of ${of.join(', ')}`)),
  ]);
}

/** One value and no other. */
export function exactly<const V extends string | number | boolean | null>(value: V): Schema<V> {
  return schema({ const: value });
}

export function listOf<T>(item: Described<T>, options: Omit<JsonSchema, 'type' | 'items'> = {}): Schema<T[]> {
  return schema({ type: 'array', items: jsonOf(item), ...options });
}

export function pairOf<T>(item: Described<T>): Schema<[T, T]> {
  return schema({ type: 'array', items: jsonOf(item), minItems: 2, maxItems: 2 });
}

/** An object whose fields the document does not describe, or by their names alone. */
export function anyObject(options: Pick<JsonSchema, 'required'> = {}): Schema<object> {
  return schema({ type: 'object', ...options });
}

/** An object whose keys are data. */
export function mapOf<T>(
  value: Described<T>,
  options: Pick<JsonSchema, 'description'> = {},
): Schema<Record<string, T>> {
  return schema({ type: 'object', additionalProperties: jsonOf(value), ...options });
}

export function orNull<T>(
  described: Described<T>,
  options: Pick<JsonSchema, 'description'> = {},
): Schema<T | null> {
  const rules = typeof described === 'function' ? [] : described.rules;
  return schema({ ...nullable(jsonOf(described)), ...options }, rules);
}

/** A schema that allows null as well. */
export function nullable({ description, ...json }: JsonSchema): JsonSchema {
  const { type, enum: values, oneOf: several, ...rest } = json;
  const more = description === undefined ? {} : { description };
  if (several) return { oneOf: [...several, { type: 'null' }], ...rest, ...more };
  if (typeof type !== 'string') return { oneOf: [json, { type: 'null' }], ...more };
  return { type: [type, 'null'], ...(values && { enum: [...values, null] }), ...rest, ...more };
}

/** Adds an example to a schema. A parameter of a query gets it as its own example. */
export function withExample<T>({ json, rules }: Schema<T>, example: unknown): Schema<T> {
  return schema({ ...json, example }, rules);
}

/** What a client sends where the class holds it in another form: ids in a text, separated by commas, become numbers. */
export function sentAs<T>(described: Described<unknown>): Schema<T> {
  return schema(jsonOf(described));
}

/** Also the JSON text of a value, as a form has it. */
export function orAsJson<T>({ json, rules }: Schema<T>): Schema<T> {
  return schema({ oneOf: [json, { type: 'string' }] }, rules);
}

export function oneOf<const D extends Described<unknown>[]>(
  ...described: D
): Schema<D[number] extends Described<infer T> ? T : never> {
  return schema({ oneOf: described.map(jsonOf) });
}

/**
 * A schema that the document describes once, under a name.
 * @param rules what a value of a request must keep
 */
export function component<T>(schemaName: string, of: Schema<T>, ...rules: PropertyDecorator[]): Schema<T> {
  addComponent(schemaName, () => of.json);
  return schema(referenceTo(schemaName), [...of.rules, ...rules]);
}
