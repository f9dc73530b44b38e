import type { Client } from 'pg';

/** From so many rows on it is quicker to build indexes afterwards. */
const WORTH_IT = 200_000;
const PART = 500_000;

/**
 * Inserts a great many rows: without the indexes that no constraint needs, which are built afterwards, and without looking
 * up each row's references, which the caller knows to be there. No other connection may use the tables meanwhile.
 * @param insert the rows of the numbers `from` to `to`, both included
 */
export async function insertMany(
  client: Client,
  tables: string[],
  count: number,
  insert: (from: number, to: number) => Promise<unknown>,
): Promise<void> {
  const indexes = count >= WORTH_IT ? await dropIndexes(client, tables) : [];
  await client.query(`set session_replication_role = 'replica'`);
  await client.query(`set maintenance_work_mem = '512MB'`);
  try {
    for (let from = 1; from <= count; from += PART) await insert(from, Math.min(count, from + PART - 1));
  } finally {
    await client.query('reset session_replication_role');
    for (const definition of indexes) await client.query(definition);
    await client.query('reset maintenance_work_mem');
  }
  await client.query(`vacuum (analyze) ${tables.join(', ')}`);
}

/** @returns the statements that make them again */
async function dropIndexes(client: Client, tables: string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid = any($1::regclass[]) and not exists (select from pg_constraint where conindid = indexrelid)`,
    [tables],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return rows.map(({ definition }) => definition);
}
