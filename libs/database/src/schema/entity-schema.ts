import type { DataSource } from 'typeorm';
import { SQL_INDEXES } from '../rows/decorators';

/**
 * The statements that create the tables of the entities in an empty database. They need the functions of the baseline
 * (`before-tables.sql`).
 * @param source a connection to an empty database
 */
export async function entitySchema(source: DataSource): Promise<string[]> {
  const { upQueries } = await source.driver.createSchemaBuilder().log();
  const indexes = SQL_INDEXES.toReversed().map(({ entity, name, definition, unique }) => {
    const table = source.getMetadata(entity as never).tableName;
    return `CREATE ${unique ? 'UNIQUE ' : ''}INDEX "${name}" ON "${table}" ${definition}`;
  });
  return [...upQueries.map(({ query }) => inLines(query.trim())), ...indexes];
}

/** The statement with one line for each column and constraint of a table. */
function inLines(statement: string): string {
  const [, head, body] = /^(CREATE TABLE "\w+" \()(.*)\)$/s.exec(statement) ?? [];
  if (head === undefined || body === undefined) return statement;
  const parts = body.split(/, (?="\w+" \w|CONSTRAINT )/);
  return `${head}\n  ${parts.join(',\n  ')}\n)`;
}
