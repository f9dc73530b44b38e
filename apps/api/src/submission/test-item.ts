import { PRIORITY_MAX, PRIORITY_MIN } from '@proctor/contracts';
import type { Pin } from '@proctor/contracts';
import { IsArray, IsBoolean, IsInt, IsOptional, IsString, Max, Min, ValidateBy } from 'class-validator';
import type { ValidationOptions } from 'class-validator';
import { IsStorableText } from '../shape/is-storable-text';
import { must } from '../shape/must';

const WHOLE_PRIORITY = must(`be a whole number from ${PRIORITY_MIN} to ${PRIORITY_MAX}`);

/** The shape of one test request. A key that is null counts as left out. */
export class TestItem {
  @IsString(must('be a string'))
  package: string;

  @IsOptional()
  @IsStorableText(must('be a string without NUL and without lone surrogates'))
  trigger?: string | null;

  @IsOptional()
  @IsPinList(must('be an array of [package spec, suite], both strings'))
  'pin-packages'?: Pin[] | null;

  @IsOptional()
  @IsBoolean(must('be true or false'))
  is_private?: boolean | null;

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

  @IsOptional()
  @IsInt(WHOLE_PRIORITY)
  @Min(PRIORITY_MIN, WHOLE_PRIORITY)
  @Max(PRIORITY_MAX, WHOLE_PRIORITY)
  priority?: number | null;
}

export const ITEM_KEYS = [
  'package',
  'trigger',
  'pin-packages',
  'is_private',
  'extra-apt-sources',
  'backend',
  'autopkgtest',
  'priority',
] as const;
export type ItemKey = (typeof ITEM_KEYS)[number];

function IsPinList(options: ValidationOptions): PropertyDecorator {
  const isPin = (pin: unknown): boolean =>
    Array.isArray(pin) && pin.length === 2 && pin.every((part) => typeof part === 'string');
  const validate = (value: unknown): boolean => Array.isArray(value) && value.every(isPin);
  return ValidateBy({ name: 'isPinList', validator: { validate } }, options);
}
