import { PRIORITY_MAX, PRIORITY_MIN, describe, IsStorableText, must } from '@proctor/contracts';
import type { Pin } from '@proctor/contracts';
import {
  ArrayNotEmpty,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsInt,
  IsOptional,
  IsString,
  Max,
  Min,
  ValidateBy,
} from 'class-validator';
import type { ValidationOptions } from 'class-validator';
import type { ApiConfiguration } from '../configuration.token';
import { Problem, refused } from '../http/problem';
import { From } from '../http/shape';
import type { Parameter } from '../http/parameters';
import { PRIORITY_RANGE, priorityOf } from './priority';

const WHOLE_PRIORITY = must(`be ${PRIORITY_RANGE}`);

/** What a test request may say beside its package. A key that is null counts as left out. */
export class TestOptions {
  @IsOptional()
  @IsStorableText(must('be a string without NUL and without lone surrogates'))
  trigger?: string | null;

  @From({ text: 'json', alias: 'pin_packages' })
  @IsOptional()
  @IsPinList(must('be an array of [package spec, suite], both strings'))
  'pin-packages'?: Pin[] | null;

  @From({ text: 'boolean' })
  @IsOptional()
  @IsBoolean(must('be true or false'))
  is_private?: boolean | null;

  /** The interface spells it differently for a single package. */
  @From({ text: 'json', alias: 'extra_apt_sources' })
  @IsOptional()
  @IsArray(must('be an array of strings'))
  @IsString({ each: true, ...must('be an array of strings') })
  'extra-apt-sources'?: string[] | null;

  @IsOptional()
  @IsString(must('be a string'))
  backend?: string | null;

  @IsOptional()
  @IsString(must('be a string'))
  autopkgtest?: string | null;

  @From({ read: priorityOf })
  @IsOptional()
  @IsInt(WHOLE_PRIORITY)
  @Min(PRIORITY_MIN, WHOLE_PRIORITY)
  @Max(PRIORITY_MAX, WHOLE_PRIORITY)
  priority?: number | null;
}

/** The only test request, as parameters. */
export class SingleTest extends TestOptions {
  /** Answered with what the request would do. */
  @From({ text: 'boolean', read: dryRunOf })
  dry_run?: boolean;
}

/** One test request of a list. */
export class TestItem extends TestOptions {
  @IsString(must('be a string'))
  package: string;
}

/** A list of test requests, or of the parts of a batch. */
export class TestList {
  /** Each is looked at by itself. */
  @From({ text: 'json', read: testsOf, missing: 'it holds a JSON array of test requests' })
  tests: unknown[];

  /** For the items that name none. */
  @From({ read: priorityOf })
  priority?: number;

  /** Answered with what the request would do. */
  @From({ text: 'boolean', read: dryRunOf })
  dry_run?: boolean;
}

/** One part of a batch. */
export class BatchPart {
  @IsString(must('be a string'))
  suite: string;

  /** One name counts as a list of it. */
  @IsArray(must('be an architecture or an array of them'))
  @ArrayNotEmpty(must('be an architecture or an array of them'))
  @ArrayUnique(must('name each architecture once'))
  @IsString({ each: true, ...must('be an architecture or an array of them') })
  arch: string[];

  @IsArray(must('be an array'))
  tests: unknown[];
}

function IsPinList(options: ValidationOptions): PropertyDecorator {
  const isPin = (pin: unknown): boolean =>
    Array.isArray(pin) && pin.length === 2 && pin.every((part) => typeof part === 'string');
  const validate = (value: unknown): boolean => Array.isArray(value) && value.every(isPin);
  return ValidateBy({ name: 'isPinList', validator: { validate } }, options);
}

function dryRunOf({ value, pointer }: Parameter, name: string): boolean | undefined {
  if (value === null) return undefined;
  if (typeof value === 'boolean') return value;
  throw refused(`${name} must be true or false, not ${describe(value)}.`, pointer);
}

function testsOf(
  { value, pointer }: Parameter,
  _name: string,
  { itemsPerRequestMax }: ApiConfiguration['server'],
): unknown[] {
  if (!Array.isArray(value)) throw refused(`tests must be an array, not ${describe(value)}.`, pointer);
  checkLength(value.length, itemsPerRequestMax);
  return value;
}

/** @throws Problem 413 */
export function checkLength(runs: number, runsMax: number): void {
  if (runs > runsMax) throw new Problem(413, `There are ${runs} tests; one request may have ${runsMax}.`);
}
