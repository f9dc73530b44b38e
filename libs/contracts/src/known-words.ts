import { IsIn, IsOptional } from 'class-validator';

/** The words of a property that this version knows; for the entries of a list, also the key that holds the word. */
interface Words {
  property: string;
  key: string | null;
  words: readonly string[];
}

const WORDS = Symbol('words');

/** The pattern of words of later versions. Anything else is a mistake in every version. */
const WORD = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;

/** One of these words, or absent: a word of a later version counts as absent. */
export function IsKnownWord(words: readonly string[]): PropertyDecorator {
  return (target, property) => {
    IsOptional()(target, property);
    IsIn(words)(target, property);
    note(target, { property: String(property), key: null, words });
  };
}

/** A list of objects: an entry whose `key` is a word of a later version counts as absent. */
export function HasKnownWords(key: string, words: readonly string[]): PropertyDecorator {
  return (target, property) => note(target, { property: String(property), key, words });
}

/** The message without the words of later versions; the same object when it has none. */
export function withoutUnknownWords(
  shape: new () => object,
  data: Record<string, unknown>,
): Record<string, unknown> {
  let result = data;
  for (const words of wordsOf(shape.prototype as object)) {
    const value = data[words.property];
    if (words.key === null) {
      if (isUnknown(value, words)) result = { ...result, [words.property]: undefined };
    } else if (Array.isArray(value) && value.some((entry) => isUnknownEntry(entry, words)))
      result = { ...result, [words.property]: value.filter((entry) => !isUnknownEntry(entry, words)) };
  }
  return result;
}

function isUnknownEntry(entry: unknown, words: Words): boolean {
  return (
    typeof entry === 'object' &&
    entry !== null &&
    isUnknown((entry as Record<string, unknown>)[words.key!], words)
  );
}

function isUnknown(value: unknown, { words }: Words): boolean {
  return typeof value === 'string' && WORD.test(value) && !words.includes(value);
}

function note(target: object, words: Words): void {
  Reflect.defineMetadata(WORDS, [...wordsOf(target), words], target);
}

function wordsOf(target: object): Words[] {
  return (Reflect.getMetadata(WORDS, target) as Words[] | undefined) ?? [];
}
