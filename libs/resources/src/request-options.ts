import { IsStorableText, must } from '@proctor/contracts';
import {
  FIELDS,
  type FieldName,
  type REQUEST_FIELDS,
  type RequestField,
  type ResultOptions,
  type SentOptions,
  type ValueOf,
} from '@proctor/request-fields';
import { IsInt, IsString, Max, Min, ValidateBy, type ValidationOptions } from 'class-validator';
import { Field, OptionalField } from './field';
import { component, flag, listOf, orNull, pairOf, type Schema, text, whole } from './schema';

/** The most suites, architectures or sources in a list: a longer list is refused before its members are looked at. */
export const NAMES_MAX = 1_000;

/** What the document says of a field of a test request, and the rules that a request must keep. */
const SCHEMAS = new Map<FieldName, Schema<unknown>>(
  FIELDS.map((field) => {
    const { json, rules } = schemaOf(field, { description: field.prose });
    return [field.name, component(field.schema, { json, rules: [] }, ...rules)];
  }),
);

/** @param name of the field in a run */
export function optionSchema<Name extends FieldName>(
  name: Name,
): Schema<NonNullable<ValueOf<(typeof REQUEST_FIELDS)[Name]>>> {
  return SCHEMAS.get(name) as Schema<NonNullable<ValueOf<(typeof REQUEST_FIELDS)[Name]>>>;
}

function schemaOf(field: RequestField, options: { description: string }): Schema<unknown> {
  switch (field.kind) {
    case 'text':
      return withRules(
        text(options),
        IsStorableText(must('be a string without NUL and without lone surrogates')),
      );
    case 'name':
      return withRules(text(options), IsString(must('be a string')));
    case 'whole': {
      const { minimum, maximum } = field;
      const rule = must(`be a whole number from ${minimum} to ${maximum}`);
      return withRules(
        whole({ minimum, maximum, ...options }),
        IsInt(rule),
        Min(minimum, rule),
        Max(maximum, rule),
      );
    }
    case 'flag':
      return flag(options);
    case 'pins': {
      const rule = must(`be an array of at most ${NAMES_MAX} times [package spec, suite], both strings`);
      return withRules(listOf(pairOf(text()), options), IsListOf(isPin, rule));
    }
    case 'names': {
      const rule = must(`be an array of at most ${NAMES_MAX} strings`);
      return withRules(listOf(text(), options), IsListOf(isText, rule));
    }
  }
}

function withRules<T>({ json }: Schema<T>, ...rules: PropertyDecorator[]): Schema<T> {
  return { json, rules };
}

/** @param countMin the least number of members */
export function IsListOf(
  isMember: (member: unknown) => boolean,
  options: ValidationOptions,
  countMin = 0,
): PropertyDecorator {
  const validate = (value: unknown): boolean =>
    Array.isArray(value) && value.length >= countMin && value.length <= NAMES_MAX && value.every(isMember);
  return ValidateBy({ name: 'isListOf', validator: { validate } }, options);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isPin(pin: unknown): boolean {
  return Array.isArray(pin) && pin.length === 2 && pin.every(isText);
}

/** The fields of a test request in addition to its package. A null value counts as left out. */
export const TestOptions = class {} as new () => SentOptions;

/** The options of a run, as it was requested. */
export const RequestedOptions = class {} as new () => ResultOptions;

for (const { name, kind, sent: keyOfRequest, alias, result } of FIELDS) {
  const schema = optionSchema(name) as Schema<unknown>;
  const spelling = alias === undefined ? undefined : `Also spelled \`${alias}\`.`;
  OptionalField(orNull(schema), spelling)(TestOptions.prototype as object, keyOfRequest as never);
  Field(kind === 'text' ? orNull(schema) : schema)(RequestedOptions.prototype as object, result as never);
}
