import type { Client } from 'pg';

/** A table of the schema, and its columns that a dump holds. */
export interface DumpedTable {
  name: string;
  columns: string[];
}

/** A sequence: its name and its last number; null if it gave none. */
export interface DumpedSequence {
  name: string;
  last: number | null;
}

/** Tables about the present state of one server or process, and the list of migrations, which the schema brings. */
const LEFT_OUT = ['migrations', 'schedulers'];

/** Transaction numbers belong to one server: rows get the number of the transaction that restores them. */
const COLUMNS_LEFT_OUT = ['runs.created_in'];

/** The tables, each after those that it refers to. */
export async function tablesOf(client: Client): Promise<DumpedTable[]> {
  const { rows: columns } = await client.query<{ name: string; column: string }>(COLUMNS);
  const { rows: references } = await client.query<{ from: string; to: string }>(REFERENCES);
  const tables = new Map<string, string[]>();
  for (const { name, column } of columns) {
    if (LEFT_OUT.includes(name)) continue;
    const columnsBefore = tables.get(name) ?? [];
    tables.set(
      name,
      COLUMNS_LEFT_OUT.includes(`${name}.${column}`) ? columnsBefore : [...columnsBefore, column],
    );
  }
  const ordered: DumpedTable[] = [];
  while (ordered.length < tables.size) {
    const waits = (name: string): boolean =>
      references.some(({ from, to }) => from === name && !ordered.some((earlier) => earlier.name === to));
    const ready = [...tables].filter(
      ([name]) => !ordered.some((earlier) => earlier.name === name) && !waits(name),
    );
    if (ready.length === 0) throw new Error('tables refer to each other in a circle');
    for (const [name, columnsOfIt] of ready) ordered.push({ name, columns: columnsOfIt });
  }
  return ordered;
}

export async function sequencesOf(client: Client): Promise<DumpedSequence[]> {
  const { rows } = await client.query<{ name: string; last: string | null }>(SEQUENCES);
  return rows.map(({ name, last }) => ({ name, last: last === null ? null : Number(last) }));
}

const COLUMNS = `
  select c.relname as name, a.attname as column
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attgenerated = ''
  order by c.relname, a.attnum`;

const REFERENCES = `
  select distinct conrelid::regclass::text as from, confrelid::regclass::text as to from pg_constraint
  where contype = 'f' and conrelid <> confrelid and connamespace = current_schema()::regnamespace`;

const SEQUENCES = `
  select sequencename as name, last_value::text as last from pg_sequences
  where schemaname = current_schema() and sequencename not like 'migrations%' order by sequencename`;
