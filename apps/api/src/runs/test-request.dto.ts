import { PRIORITY_MAX, PRIORITY_MIN, describe, IsStorableText, must } from '@proctor/contracts';
import type { Pin } from '@proctor/contracts';
import { IsArray, IsBoolean, IsInt, IsOptional, IsString, Max, Min, ValidateBy } from 'class-validator';
import type { ValidationOptions } from 'class-validator';
import type { ApiConfiguration } from '../configuration.token';
import { Problem, refused } from '../http/problem';
import { From } from '../http/shape';
import type { Parameter } from '../http/parameters';
import { PRIORITY_RANGE, priorityOf } from './priority';

/** Of suites, architectures or sources: longer lists are refused before their members are looked at. */
const NAMES_MAX = 1_000;

const WHOLE_PRIORITY = must(`be ${PRIORITY_RANGE}`);

/** What a test request may say beside its package. A key that is null counts as left out. */
export class TestOptions {
  @IsOptional()
  @IsStorableText(must('be a string without NUL and without lone surrogates'))
  trigger?: string | null;

  @From({ text: 'json', alias: 'pin_packages' })
  @IsOptional()
  @IsListOf(isPin, must(`be an array of at most ${NAMES_MAX} times [package spec, suite], both strings`))
  'pin-packages'?: Pin[] | null;

  @From({ text: 'boolean' })
  @IsOptional()
  @IsBoolean(must('be true or false'))
  is_private?: boolean | null;

  /** The interface spells it differently for a single package. */
  @From({ text: 'json', alias: 'extra_apt_sources' })
  @IsOptional()
  @IsListOf(isText, must(`be an array of at most ${NAMES_MAX} strings`))
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
  @IsListOf(isText, must('be an architecture or an array of them'), 1)
  @IsEachOnce(must('name each architecture once'))
  arch: string[];

  @IsArray(must('be an array'))
  tests: unknown[];
}

/** @param countMin of members */
function IsListOf(
  isMember: (member: unknown) => boolean,
  options: ValidationOptions,
  countMin = 0,
): PropertyDecorator {
  const validate = (value: unknown): boolean =>
    Array.isArray(value) && value.length >= countMin && value.length <= NAMES_MAX && value.every(isMember);
  return ValidateBy({ name: 'isListOf', validator: { validate } }, options);
}

/** class-validator's own compares each member with each. */
function IsEachOnce(options: ValidationOptions): PropertyDecorator {
  const validate = (value: unknown): boolean =>
    Array.isArray(value) && value.length <= NAMES_MAX && new Set(value).size === value.length;
  return ValidateBy({ name: 'isEachOnce', validator: { validate } }, options);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isPin(pin: unknown): boolean {
  return Array.isArray(pin) && pin.length === 2 && pin.every(isText);
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
