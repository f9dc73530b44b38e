import { Index } from 'typeorm';

/** The SQL of a check constraint: the column holds one of these words, or is null. */
export function isOneOf(column: string, words: readonly string[]): string {
  return `${column} in (${words.map((word) => `'${word}'`).join(', ')})`;
}

/** An index that TypeORM cannot describe: with an expression, descending order or included columns. */
interface DescribedIndex {
  entity: object;
  name: string;
  /** The SQL after the name of the table in `create index`. */
  definition: string;
  unique: boolean;
}

/**
 * The indexes of all entities. Those of one entity are in reverse order, because decorators are applied in that
 * order.
 */
export const SQL_INDEXES: DescribedIndex[] = [];

/** @param definition the SQL after the name of the table in `create index`, with PostgreSQL's names of columns */
export function SqlIndex(name: string, definition: string, { unique = false } = {}): ClassDecorator {
  return (entity) => {
    // TypeORM neither creates nor removes this index.
    Index(name, { synchronize: false })(entity);
    SQL_INDEXES.push({ entity, name, definition, unique });
  };
}
