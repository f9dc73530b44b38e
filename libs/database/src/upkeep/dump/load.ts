import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { migrate } from '../../schema/migrate';
import { BEFORE_BASELINE, isBeforeBaseline, MIGRATIONS } from '../../schema/migrations';
import { longConnection } from './connection';
import { type DumpDescription, quotedColumns } from './dump';
import type { DumpedSequence, DumpedTable } from './tables';

/** The gap after the last number of the dump, so that no number is given twice. */
export const GAP = { bigint: 100_000, integer: 1_000 };

/** The sequence of the ids of runs. */
export const RUN_IDS = 'runs_run_id_seq';

/** The database is not empty, or the dump cannot be loaded. */
export class CannotLoad extends Error {
  override readonly name = 'CannotLoad';
}

/** The outcome of loading a dump. */
export interface LoadedDump {
  /** The first run id that was given after the dump, or never. */
  firstLostRun: number;
  /** The id of the next new run. */
  nextRun: number;
}

/**
 * Loads a dump into an empty database: the schema of that time, the rows, then the later migrations. All rows
 * are committed together: after a restore that broke off, a service finds none, and gives no number twice.
 * @param rowsOf what `Dump.rows` returned
 * @throws CannotLoad before anything was written
 */
export async function loadDump(
  url: string,
  description: DumpDescription,
  rowsOf: (table: DumpedTable) => Readable,
  report: (line: string) => void,
): Promise<LoadedDump> {
  const names = MIGRATIONS.map(({ name }) => name);
  if (isBeforeBaseline(description.migrations)) throw new CannotLoad(BEFORE_BASELINE);
  const unknown = description.migrations.filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new CannotLoad(`it was made by a newer version of Proctor: this one does not know ${unknown[0]}`);
  await requireEmpty(url);
  await migrate(url, { upTo: description.migrations, progress: report });
  const client = await longConnection(url, 'proctor restore');
  try {
    await client.query('begin');
    for (const table of description.tables) {
      await clear(client, table);
      const into = client.query(
        copyFrom(`copy "${table.name}" (${quotedColumns(table.columns)}) from stdin`),
      );
      await pipeline(rowsOf(table), into);
      report(`${table.name}: ${into.rowCount} rows`);
    }
    for (const sequence of description.sequences) await advance(client, sequence);
    // The processes that owned architectures at that time no longer run.
    await client.query('update dispatchers set owner = null');
    await client.query('commit');
    await client.query('analyze');
    const first = (description.sequences.find(({ name }) => name === RUN_IDS)?.last ?? 0) + 1;
    await migrate(url, { progress: report });
    return { firstLostRun: first, nextRun: first + GAP.bigint };
  } finally {
    await client.end();
  }
}

/** @throws CannotLoad if the database has a table */
export async function requireEmpty(url: string): Promise<void> {
  const client = await longConnection(url, 'proctor restore');
  try {
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'
       order by relname limit 1`,
    );
    if (rows[0]) throw new CannotLoad(`the database is not empty: it has a table ${rows[0].name}`);
  } finally {
    await client.end();
  }
}

/** Rows from migrations. */
async function clear(client: Client, { name }: DumpedTable): Promise<void> {
  await client.query(`delete from "${name}"`);
}

/** Continues after the last number with a gap: ascending sequences upward, descending ones downward. */
export async function advance(client: Client, { name, last }: DumpedSequence): Promise<void> {
  await client.query(
    `select setval(quote_ident($1)::regclass, $2::bigint
       + sign(increment_by)::bigint * case data_type when 'bigint'::regtype then ${GAP.bigint} else ${GAP.integer} end)
     from pg_sequences where schemaname = current_schema() and sequencename = $1`,
    [name, last ?? 0],
  );
}
