import { isArchitecture, isPackageName, isWord, NAME_PATTERNS } from '@proctor/contracts';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  ArrayUnique,
  IsArray,
  IsInt,
  IsObject,
  Max,
  Min,
  ValidateBy,
  ValidateNested,
  getMetadataStorage,
} from 'class-validator';
import { InSchema, OfShape, type Fragment } from './in-schema';

const DAY_MS = 86_400_000;

/** `host` in a list stands for the machine's own release or architecture. */
export const HOST = 'host';

/** The names of a file's or section's keys. */
export function keysOf(shape: new () => object): Set<string> {
  const rules = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
  return new Set(rules.map((rule) => rule.propertyName));
}

/** Combines decorators as if they were written above the property: the message names the first broken rule. */
export function together(rules: PropertyDecorator[]): PropertyDecorator {
  return (target, key) => [...rules].reverse().forEach((rule) => rule(target, key));
}

/** A list of names that are safe in paths and argument lists. */
export function NameList(): PropertyDecorator {
  return names(
    isWord,
    'each name is letters, digits, +, ., _ and -, and begins with a letter or digit',
    NAME_PATTERNS.word,
  );
}

/** A list of Debian architecture names. */
export function ArchitectureList(): PropertyDecorator {
  return names(
    isArchitecture,
    'each architecture is lower-case letters, digits and -',
    NAME_PATTERNS.architecture,
  );
}

function names(isName: (name: string) => boolean, message: string, pattern: string): PropertyDecorator {
  const rules = [
    InSchema({ items: { type: 'string', pattern } }),
    IsArray(),
    ArrayNotEmpty(),
    ArrayUnique(),
    ValidateBy({
      name: 'names',
      validator: {
        validate: (list: unknown) =>
          Array.isArray(list) && list.every((n) => typeof n === 'string' && isName(n)),
        defaultMessage: () => message,
      },
    }),
  ];
  return together(rules);
}

/** Keys below a key, with rules of their own. */
export function Section(shape: () => new () => object): PropertyDecorator {
  const rules = [IsObject(), ValidateNested(), Type(shape), OfShape(shape)];
  return together(rules);
}

/** A whole number of milliseconds between 1 and 30 days. */
export function Milliseconds(): PropertyDecorator {
  const rules = [IsInt(), Min(1), Max(30 * DAY_MS)];
  return together(rules);
}

/** A whole number of at least 1. */
export function Count(): PropertyDecorator {
  const rules = [IsInt(), Min(1), Max(Number.MAX_SAFE_INTEGER)];
  return together(rules);
}

const WEIGHT_MAX = 1000;

/** User name → a share above 0. */
export function Weights(): PropertyDecorator {
  return mapping({
    name: 'weights',
    isValue: (weight) => typeof weight === 'number' && weight > 0 && weight <= WEIGHT_MAX,
    message: `each user has a weight above 0 and at most ${WEIGHT_MAX}`,
    each: { type: 'number', exclusiveMinimum: 0, maximum: WEIGHT_MAX },
  });
}

/** Name → a list of strings that is not empty. */
export function ListsByName(): PropertyDecorator {
  const isList = (list: unknown) =>
    Array.isArray(list) && list.length > 0 && list.every((each) => typeof each === 'string');
  return mapping({
    name: 'listsByName',
    isValue: isList,
    message:
      'each name is letters, digits, +, ., _ and -, begins with a letter or digit, and has a list of strings that is not empty',
    each: { type: 'array', minItems: 1, items: { type: 'string' } },
  });
}

/** A mapping of at most `max` names. */
export function NamesMax(max: number): PropertyDecorator {
  return together([
    InSchema({ maxProperties: max }),
    ValidateBy({
      name: 'namesMax',
      validator: {
        validate: (value: unknown) => Object.keys(value ?? {}).length <= max,
        defaultMessage: (context) => `${context?.property} must have at most ${max} names`,
      },
    }),
  ]);
}

/** Class → package names, which may end in `*`. */
export function SizeClasses(): PropertyDecorator {
  return mapping({
    name: 'sizeClasses',
    isValue: (list) => Array.isArray(list) && list.every(isPackagePattern),
    message: 'each class has a list of package names, which may end in *',
    each: { type: 'array', items: { type: 'string', pattern: PACKAGE_PATTERN } },
  });
}

/** Package name, which may end in `*` → milliseconds. */
export function PackageTimeouts(): PropertyDecorator {
  const isTime = (ms: unknown) =>
    Number.isInteger(ms) && (ms as number) >= 1000 && (ms as number) <= 30 * DAY_MS;
  return mapping({
    name: 'packageTimeouts',
    isValue: isTime,
    message: 'each package name, which may end in *, has a whole number of milliseconds from 1000 to 30 days',
    each: { type: 'integer', minimum: 1000, maximum: 30 * DAY_MS },
    isKey: isPackagePattern,
    keys: PACKAGE_PATTERN,
  });
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Name of an environment variable → its text: one line without a single quote. */
export function EnvironmentVariables(): PropertyDecorator {
  const isText = (text: unknown) => typeof text === 'string' && /^[^'\p{Cc}]*$/u.test(text);
  const isName = (name: string) => VARIABLE.test(name) && name !== 'ADT_TEST_TRIGGERS';
  return mapping({
    name: 'environmentVariables',
    isValue: isText,
    message:
      'each name is letters, digits and _, is not ADT_TEST_TRIGGERS, and has a text of one line without a single quote',
    each: { type: 'string' },
    isKey: isName,
    keys: VARIABLE.source,
  });
}

/** Package name, which may end in `*` → bytes. */
export function PackageBytes(): PropertyDecorator {
  const message = 'each package name, which may end in *, has a whole number of bytes of at least 1';
  const isCount = (bytes: unknown) => Number.isSafeInteger(bytes) && (bytes as number) >= 1;
  return mapping({
    name: 'packageBytes',
    isValue: isCount,
    message,
    each: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    isKey: isPackagePattern,
    keys: PACKAGE_PATTERN,
  });
}

const EXPRESSIONS_MAX = 100;
const EXPRESSION_LENGTH_MAX = 200;

/** A list of JavaScript's regular expressions. */
export function Expressions(): PropertyDecorator {
  const isExpression = (text: unknown): boolean => {
    if (typeof text !== 'string' || text === '' || text.length > EXPRESSION_LENGTH_MAX) return false;
    try {
      new RegExp(text);
      return true;
    } catch {
      return false;
    }
  };
  const rules = [
    InSchema({
      items: { type: 'string', format: 'regex', minLength: 1, maxLength: EXPRESSION_LENGTH_MAX },
    }),
    IsArray(),
    ArrayMaxSize(EXPRESSIONS_MAX),
    ValidateBy({
      name: 'expressions',
      validator: {
        validate: (list: unknown) => Array.isArray(list) && list.every(isExpression),
        defaultMessage: () =>
          `each pattern is a regular expression of JavaScript of 1 to ${EXPRESSION_LENGTH_MAX} characters`,
      },
    }),
  ];
  return together(rules);
}

const NOTICES_MAX = 10;
const NOTICE_LENGTH_MAX = 500;

function isLine(text: unknown, lengthMax: number): boolean {
  return typeof text === 'string' && text !== '' && text.length <= lengthMax && !/\p{Cc}/u.test(text);
}

/** A line for people. */
export function TextLine(lengthMax: number): PropertyDecorator {
  return together([
    InSchema({ type: 'string', minLength: 1, maxLength: lengthMax }),
    ValidateBy({
      name: 'line',
      validator: {
        validate: (text: unknown) => isLine(text, lengthMax),
        defaultMessage: () => `$property is one line of 1 to ${lengthMax} characters`,
      },
    }),
  ]);
}

/** A list of lines for people. */
export function NoticeTexts(): PropertyDecorator {
  return together([
    InSchema({ items: { type: 'string', minLength: 1, maxLength: NOTICE_LENGTH_MAX } }),
    IsArray(),
    ArrayMaxSize(NOTICES_MAX),
    ValidateBy({
      name: 'notices',
      validator: {
        validate: (list: unknown) =>
          Array.isArray(list) && list.every((text) => isLine(text, NOTICE_LENGTH_MAX)),
        defaultMessage: () => `each notice is one line of 1 to ${NOTICE_LENGTH_MAX} characters`,
      },
    }),
  ]);
}

/** A package name, which may end in `*`. */
const PACKAGE_PATTERN = `^\\*$|${NAME_PATTERNS.packageName.replace(/\$$/, '\\*?$')}`;

function isPackagePattern(text: unknown): boolean {
  return typeof text === 'string' && (text === '*' || isPackageName(text.replace(/\*$/, '')));
}

interface MappingRule {
  name: string;
  isValue: (value: unknown) => boolean;
  message: string;
  /** JSON Schema of each value. */
  each: Fragment;
  isKey?: (key: string) => boolean;
  /** JSON Schema of each name: a pattern. */
  keys?: string;
}

function mapping(rule: MappingRule): PropertyDecorator {
  const { name, isValue, message, each, isKey = isWord, keys = NAME_PATTERNS.word } = rule;
  const values = ValidateBy({
    name,
    validator: {
      validate: (value: unknown) =>
        typeof value === 'object' &&
        value !== null &&
        Object.entries(value).every(([key, inner]) => isKey(key) && isValue(inner)),
      defaultMessage: () => message,
    },
  });
  const keyRule = InSchema({ propertyNames: { pattern: keys }, additionalProperties: each });
  return together([keyRule, IsObject(), values, AsWritten()]);
}

/** The transformer would read the class of a mapping from this key, or leave it out: a user may have the name `constructor`. */
function AsWritten(): PropertyDecorator {
  const value = Transform(({ obj, key }) => (obj as Record<string, unknown>)[key]);
  return together([Type(() => Object), value]);
}
