import { describe, timestamp } from '@proctor/contracts';
import type { ReadValue } from './parameter-values';
import { badRequestAt } from './problem';

/** A part of a list. */
export interface ListedPart<Row, Key> {
  rows: Row[];
  /** The key of the last row, after which the next part starts; null at the end of the list. */
  last: Key | null;
}

/**
 * Loads a part of a list. It reads one row more, to know whether the list goes on.
 * @param read resolves with at most that many rows
 */
export async function loadPart<Row, Key>(
  limit: number,
  read: (limit: number) => Promise<Row[]>,
  keyOf: (row: Row) => Key,
): Promise<ListedPart<Row, Key>> {
  const rows = await read(limit + 1);
  const part = rows.slice(0, limit);
  return { rows: part, last: rows.length > limit ? keyOf(part.at(-1)!) : null };
}

/** A position in a list: the key of the last row of a part, as text for an address. */
export interface Cursor<Key> {
  encode: (key: Key) => string;
  /** @throws Problem 400 that names the parameter and its value */
  decode: ReadValue<Key>;
}

/**
 * @param what the end of the message `after must be …`
 * @param fields of a key, in their order in the text; each parses its part, and returns null for an invalid one
 */
export function cursor<Key extends object>(
  what: string,
  fields: { [Name in keyof Key]: (text: string) => Key[Name] | null },
  separator = '/',
): Cursor<Key> {
  const names = Object.keys(fields) as (keyof Key)[];
  return {
    encode: (key) => names.map((name) => textOf(key[name])).join(separator),
    decode: ({ value, pointer }, name) => {
      const parts = typeof value === 'string' ? value.split(separator) : [];
      const key = names.map((field, index) => [field, fields[field](parts[index] ?? '')] as const);
      if (parts.length === names.length && key.every(([, read]) => read !== null))
        return Object.fromEntries(key) as Key;
      throw badRequestAt(`${name} must be ${what}, not ${describe(value)}.`, pointer);
    },
  };
}

function textOf(value: unknown): string {
  return value instanceof Date ? timestamp(value) : String(value);
}
