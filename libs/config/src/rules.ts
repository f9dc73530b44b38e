import { isArchitecture, isWord } from '@proctor/contracts';
import { ArrayNotEmpty, ArrayUnique, IsArray, IsInt, Max, Min, ValidateBy } from 'class-validator';

const DAY_MS = 86_400_000;

/** `host` in a list stands for the machine's own release or architecture. */
export const HOST = 'host';

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
  return (target, key) => rules.forEach((rule) => rule(target, key));
}

/** A whole number of milliseconds between 1 and 30 days. */
export function Milliseconds(): PropertyDecorator {
  const rules = [IsInt(), Min(1), Max(30 * DAY_MS)];
  return (target, key) => rules.forEach((rule) => rule(target, key));
}

/** A whole number of at least 1. */
export function Count(): PropertyDecorator {
  const rules = [IsInt(), Min(1), Max(Number.MAX_SAFE_INTEGER)];
  return (target, key) => rules.forEach((rule) => rule(target, key));
}
