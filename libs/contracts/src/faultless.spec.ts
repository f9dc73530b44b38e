import 'reflect-metadata';
import {
  Allow,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsInt,
  IsOptional,
  IsString,
  Max,
  Min,
  ValidateIf,
  ValidateNested,
  validateSync,
} from 'class-validator';
import fc from 'fast-check';
import { isFaultless } from './faultless';

class Base {
  @IsString() name: unknown;
  @IsOptional() @IsInt() @Min(1) @Max(10) priority: unknown;
  @Allow() anything: unknown;
}

class Whole extends Base {
  @IsOptional() @IsArray() @ArrayUnique() @IsString({ each: true }) words: unknown;
  @ValidateIf((whole: Whole) => whole.name === 'a') @IsBoolean() flag: unknown;
}

class Nested {
  @ValidateNested() inner = new Base();
}

class NoRules {}

const value = fc.oneof(
  fc.constantFrom(
    undefined,
    null,
    'a',
    '',
    true,
    0,
    1,
    10,
    11,
    1.5,
    NaN,
    [],
    ['a'],
    ['a', 'a'],
    ['a', 1],
    {},
  ),
  fc.anything(),
);

it('an instance is found faultless exactly when class-validator finds no fault in it', () => {
  const fields = fc.record({
    name: value,
    priority: value,
    anything: value,
    words: value,
    flag: value,
  });
  fc.assert(
    fc.property(fields, (given) => {
      const instance = Object.assign(new Whole(), given);
      expect(isFaultless(instance)).toBe(validateSync(instance).length === 0);
    }),
    { numRuns: 2_000 },
  );
});

it('a class with rules that are not known is left to class-validator', () => {
  expect(isFaultless(new Nested())).toBe(false);
  expect(isFaultless(new NoRules())).toBe(false);
});
