import { describe, must } from '@proctor/contracts';
import { FIELDS, type RequestField } from '@proctor/request-fields';
import {
  component,
  Description,
  Field,
  flag,
  IsListOf,
  isText,
  listOf,
  NAMES_MAX,
  oneOf,
  OptionalField,
  optionSchema,
  orNull,
  sentAs,
  TestOptions,
  text,
} from '@proctor/resources';
import { IsArray, IsString, ValidateBy } from 'class-validator';
import type { ValidationOptions } from 'class-validator';
import type { ApiConfiguration } from '../configuration.token';
import { Problem, badRequestAt } from '../http/problem';
import { From, type Source } from '../http/shape';
import type { Parameter } from '../http/parameters';
import { numberFrom, priorityOf } from './priority';

for (const field of FIELDS) From(sourceOf(field))(TestOptions.prototype as object, field.sent);

/** The single test request, as parameters. */
export class SingleTest extends TestOptions {
  @From({ text: 'boolean', read: dryRunOf })
  @OptionalField(
    sentAs<boolean>(orNull(flag())),
    'Whether the answer says what the request would do, and nothing is created.',
  )
  dry_run?: boolean;
}

@Description('One test request. A key that is null counts as left out.')
export class TestItem extends TestOptions {
  @Field(text(), 'The source package.', IsString(must('be a string')))
  package: string;
}

export const TESTS = component('Tests', listOf(TestItem));

/** A list of test requests. */
export class TestList {
  /** Each test is checked separately. */
  @From({ text: 'json', read: testsOf, missing: 'it holds a JSON array of test requests' })
  @Field(sentAs<unknown[]>(TESTS))
  tests: unknown[];

  @From({ read: priorityOf })
  @OptionalField(sentAs<number>(orNull(optionSchema('priority'))), 'The priority of items that have none.')
  priority?: number;

  @From({ text: 'boolean', read: dryRunOf })
  @OptionalField(
    sentAs<boolean>(orNull(flag())),
    'Whether the answer says what the request would do, and nothing is created.',
  )
  dry_run?: boolean;
}

/** One part of a batch. */
export class BatchPart {
  @Field(text(), undefined, IsString(must('be a string')))
  suite: string;

  /** A single name counts as a list. */
  @Field(
    sentAs<string[]>(oneOf(text(), listOf(text(), { minItems: 1, uniqueItems: true }))),
    undefined,
    IsListOf(isText, must('be an architecture or an array of them'), 1),
    IsEachOnce(must('name each architecture once')),
  )
  arch: string[];

  @Field(sentAs<unknown[]>(TESTS), undefined, IsArray(must('be an array')))
  tests: unknown[];
}

export const BATCH = component('Batch', listOf(BatchPart));

/** The parts of a batch, as the document describes them; they are read like a list. */
export class TestBatch extends TestList {
  @Field(sentAs<unknown[]>(BATCH))
  declare tests: unknown[];
}

/** How a field is read if its name and type do not show it. */
function sourceOf(field: RequestField): Source {
  const { kind, alias } = field;
  return {
    ...(alias !== undefined && { alias }),
    ...((kind === 'pins' || kind === 'names') && { text: 'json' as const }),
    ...(kind === 'flag' && { text: 'boolean' as const }),
    ...(kind === 'whole' && { read: numberFrom(field) }),
  };
}

/** The decorator of class-validator compares each member with all others. */
function IsEachOnce(options: ValidationOptions): PropertyDecorator {
  const validate = (value: unknown): boolean =>
    Array.isArray(value) && value.length <= NAMES_MAX && new Set(value).size === value.length;
  return ValidateBy({ name: 'isEachOnce', validator: { validate } }, options);
}

function dryRunOf({ value, pointer }: Parameter, name: string): boolean | undefined {
  if (value === null) return undefined;
  if (typeof value === 'boolean') return value;
  throw badRequestAt(`${name} must be true or false, not ${describe(value)}.`, pointer);
}

function testsOf(
  { value, pointer }: Parameter,
  _name: string,
  { itemsPerRequestMax }: ApiConfiguration['server'],
): unknown[] {
  if (!Array.isArray(value)) throw badRequestAt(`tests must be an array, not ${describe(value)}.`, pointer);
  checkLength(value.length, itemsPerRequestMax);
  return value;
}

/** @throws Problem 413 for too many tests */
export function checkLength(runs: number, runsMax: number): void {
  if (runs > runsMax) throw new Problem(413, `There are ${runs} tests; one request may have ${runsMax}.`);
}
