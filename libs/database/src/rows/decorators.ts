import { Index } from 'typeorm';

/** For a check constraint: the column holds one of these words, or is null. */
export function isOneOf(column: string, words: readonly string[]): string {
  return `${column} in (${words.map((word) => `'${word}'`).join(', ')})`;
}

/** An index for which TypeORM has no words: of an expression, in descending order, with columns included. */
interface DescribedIndex {
  entity: object;
  name: string;
  /** What follows the table's name in `create index`. */
  definition: string;
  unique: boolean;
}

/** Of all entities; those of one stand in reverse order, as decorators are applied. */
export const SQL_INDEXES: DescribedIndex[] = [];

/** @param definition what follows the table's name in `create index`, with the names that PostgreSQL knows */
export function SqlIndex(name: string, definition: string, { unique = false } = {}): ClassDecorator {
  return (entity) => {
    // TypeORM then leaves it alone.
    Index(name, { synchronize: false })(entity);
    SQL_INDEXES.push({ entity, name, definition, unique });
  };
}
