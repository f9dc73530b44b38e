/** A part of a list. */
export interface ListedPart<Row, Key> {
  rows: Row[];
  /** The key of the last row, from which on the next part is read; null at the end of the list. */
  last: Key | null;
}

/**
 * Loads a part of a list. One row more than the part has shows that the list goes on.
 * @param read resolves with at most so many rows
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
