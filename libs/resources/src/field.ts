import { Allow, IsOptional } from 'class-validator';
import { isStrict } from '@proctor/contracts';
import { addComponent, componentName, type Described, jsonOf, type JsonSchema, nullable } from './schema';

interface FieldOfClass {
  json: JsonSchema;
  isOptional: boolean;
}

const FIELDS = Symbol('fields');
const DESCRIPTION = Symbol('description');

/** Fails to compile when the schema of a field describes another type than the field has. */
type FieldDecorator<T> = <Owner extends object, KeyResource extends keyof Owner & string>(
  target: Owner,
  key: KeyResource &
    (Same<Exclude<Owner[KeyResource], undefined>, T> extends true
      ? unknown
      : 'the schema is of another type'),
) => void;

type Same<A, B> = [A, B] extends [B, A] ? true : false;

/**
 * A field of a resource or of a request: its type, its place in the API's document, and the rules that a request must keep.
 * @param description for people who read the document
 * @param rules decorators of class-validator, beside those that the schema has
 */
export function Field<T>(
  described: Described<T>,
  description?: string,
  ...rules: PropertyDecorator[]
): FieldDecorator<T> {
  return field(described, description, rules, false);
}

/** A `Field` that may be absent. */
export function OptionalField<T>(
  described: Described<T>,
  description?: string,
  ...rules: PropertyDecorator[]
): FieldDecorator<T> {
  return field(described, description, [IsOptional(), ...rules], true);
}

function field<T>(
  described: Described<T>,
  description: string | undefined,
  rules: PropertyDecorator[],
  isOptional: boolean,
): FieldDecorator<T> {
  const json = { ...jsonOf(described), ...(description !== undefined && { description }) };
  const ofSchema = typeof described === 'function' ? [] : described.rules;
  return (target: object, key: string) => {
    const shape = target.constructor as new () => object;
    ownFields(shape).set(key, { json, isOptional });
    for (const rule of [...rules, ...ofSchema, Allow()].reverse()) rule(target, key);
  };
}

/** The class's own fields. The first of them gives the class its name in the document. */
function ownFields(shape: new () => object): Map<string, FieldOfClass> {
  const previous = Reflect.getOwnMetadata(FIELDS, shape) as Map<string, FieldOfClass> | undefined;
  if (previous) return previous;
  const fields = new Map<string, FieldOfClass>();
  Reflect.defineMetadata(FIELDS, fields, shape);
  addComponent(componentName(shape), () => schemaOf(shape));
  return fields;
}

/** What a class is, for people who read the document. */
export function Description(text: string): ClassDecorator {
  return (shape) => Reflect.defineMetadata(DESCRIPTION, text, shape);
}

/** The fields of a class, inherited ones first. */
export function fieldsOf(shape: new () => object): Map<string, FieldOfClass> {
  const above: unknown = Object.getPrototypeOf(shape);
  const inherited = isClass(above) ? fieldsOf(above) : [];
  const own = Reflect.getOwnMetadata(FIELDS, shape) as Map<string, FieldOfClass> | undefined;
  return new Map([...inherited, ...(own ?? [])]);
}

/** The class itself, or the nearest above it, that describes fields; null when there is none. */
export function describedClass(shape: new () => object): (new () => object) | null {
  if (Reflect.hasOwnMetadata(FIELDS, shape)) return shape;
  const above: unknown = Object.getPrototypeOf(shape);
  return isClass(above) ? describedClass(above) : null;
}

function isClass(value: unknown): value is new () => object {
  return typeof value === 'function';
}

/** The schema of a class. */
function schemaOf(shape: new () => object): JsonSchema {
  const fields = [...fieldsOf(shape)];
  const required = fields.filter(([, { isOptional }]) => !isOptional).map(([key]) => key);
  const description = Reflect.getOwnMetadata(DESCRIPTION, shape) as string | undefined;
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(
      fields.map(([key, { json, isOptional }]) => [
        key,
        isOptional && isStrict(shape) ? nullable(json) : json,
      ]),
    ),
  };
}
