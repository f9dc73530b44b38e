import { isIP } from 'node:net';
import { isArchitecture, isPackageName, isWord } from '@proctor/contracts';
import { Transform, Type } from 'class-transformer';
import {
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

const DAY_MS = 86_400_000;

/** `host` in a list stands for the machine's own release or architecture. */
export const HOST = 'host';

/** The names of a file's or section's keys. */
export function keysOf(shape: new () => object): Set<string> {
  const rules = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
  return new Set(rules.map((rule) => rule.propertyName));
}

/** As if they were written above the property, one below the other: a value is told the first that it breaks. */
export function together(rules: PropertyDecorator[]): PropertyDecorator {
  return (target, key) => [...rules].reverse().forEach((rule) => rule(target, key));
}

/** A list of names that are safe in paths and argument lists. */
export function NameList(): PropertyDecorator {
  return names(isWord, 'each name is letters, digits, +, ., _ and -, and begins with a letter or digit');
}

/** A list of Debian architecture names. */
export function ArchitectureList(): PropertyDecorator {
  return names(isArchitecture, 'each architecture is lower-case letters, digits and -');
}

function names(isName: (name: string) => boolean, message: string): PropertyDecorator {
  const rules = [
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
  const rules = [IsObject(), ValidateNested(), Type(shape)];
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

/** A list of addresses and networks, as `10.0.0.1`, `10.0.0.0/8`, `fd00::/8` or `loopback`. */
export function ProxyList(): PropertyDecorator {
  const rules = [
    IsArray(),
    ValidateBy({
      name: 'proxies',
      validator: {
        validate: (list: unknown) => Array.isArray(list) && list.every(isProxy),
        defaultMessage: () => 'each proxy is an IP address, a network as 10.0.0.0/8, or loopback',
      },
    }),
  ];
  return together(rules);
}

function isProxy(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0) return text === 'loopback';
  const bitsMax = family === 4 ? 32 : 128;
  return rest.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax));
}

/** User name → a share above 0. */
export function Weights(): PropertyDecorator {
  return mapping('weights', (weight) => typeof weight === 'number' && weight > 0 && weight <= 1000, [
    'each user has a weight above 0 and at most 1000',
  ]);
}

/** Name → a list of strings that is not empty. */
export function ListsByName(): PropertyDecorator {
  const isList = (list: unknown) =>
    Array.isArray(list) && list.length > 0 && list.every((each) => typeof each === 'string');
  return mapping('listsByName', isList, [
    'each name is letters, digits, +, ., _ and -, begins with a letter or digit, and has a list of strings that is not empty',
  ]);
}

/** A mapping of at most so many names. */
export function NamesMax(max: number): PropertyDecorator {
  return ValidateBy({
    name: 'namesMax',
    validator: {
      validate: (value: unknown) => Object.keys(value ?? {}).length <= max,
      defaultMessage: (context) => `${context?.property} must have at most ${max} names`,
    },
  });
}

/** Class → package names, which may end in `*`. */
export function SizeClasses(): PropertyDecorator {
  return mapping('sizeClasses', (list) => Array.isArray(list) && list.every(isPackagePattern), [
    'each class has a list of package names, which may end in *',
  ]);
}

/** Package name, which may end in `*` → milliseconds. */
export function PackageTimeouts(): PropertyDecorator {
  const isTime = (ms: unknown) =>
    Number.isInteger(ms) && (ms as number) >= 1000 && (ms as number) <= 30 * DAY_MS;
  const message =
    'each package name, which may end in *, has a whole number of milliseconds from 1000 to 30 days';
  return mapping('packageTimeouts', isTime, [message], isPackagePattern);
}

/** Name of an environment variable → its text: one line without a single quote. */
export function EnvironmentVariables(): PropertyDecorator {
  const isText = (text: unknown) => typeof text === 'string' && /^[^'\p{Cc}]*$/u.test(text);
  const isName = (name: string) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && name !== 'ADT_TEST_TRIGGERS';
  const message =
    'each name is letters, digits and _, is not ADT_TEST_TRIGGERS, and has a text of one line without a single quote';
  return mapping('environmentVariables', isText, [message], isName);
}

function isPackagePattern(text: unknown): boolean {
  return typeof text === 'string' && (text === '*' || isPackageName(text.replace(/\*$/, '')));
}

function mapping(
  name: string,
  isValue: (value: unknown) => boolean,
  [message]: [string],
  isKey: (key: string) => boolean = isWord,
): PropertyDecorator {
  const values = ValidateBy({
    name,
    validator: {
      validate: (value: unknown) =>
        typeof value === 'object' &&
        value !== null &&
        Object.entries(value).every(([key, each]) => isKey(key) && isValue(each)),
      defaultMessage: () => message,
    },
  });
  return together([IsObject(), values, AsWritten()]);
}

/** The transformer would ask a mapping for its class, or drop that key: a user may be called `constructor`. */
function AsWritten(): PropertyDecorator {
  const value = Transform(({ obj, key }) => (obj as Record<string, unknown>)[key]);
  return together([Type(() => Object), value]);
}
