import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Readable } from 'node:stream';
import type { ResultFileName } from '@proctor/contracts';
import { longConnection } from './connection';
import { type DumpedSequence, type DumpedTable, sequencesOf, tablesOf } from './tables';

/** What a dump contains apart from the rows. */
export interface DumpDescription {
  /** The moment of the dump, by the database's clock. */
  takenAt: string;
  /** Names of the migrations that had run, in their order. */
  migrations: string[];
  tables: DumpedTable[];
  sequences: DumpedSequence[];
}

/** The files of one attempt that should be in the store, according to the rows of the dump. */
interface DumpedFiles {
  runId: number;
  attempt: number;
  names: ResultFileName[];
}

/**
 * A snapshot of the database: one read-only transaction reads everything that was committed at one moment. No other
 * client waits for its locks.
 */
export class Dump {
  private constructor(
    private readonly client: Client,
    readonly description: DumpDescription,
  ) {}

  static async open(url: string): Promise<Dump> {
    // A long connection: the transaction stays open while the files of the store are copied.
    const client = await longConnection(url, 'proctor backup');
    try {
      await client.query('begin isolation level repeatable read read only');
      const { rows } = await client.query<{ takenAt: Date }>('select clock_timestamp() as "takenAt"');
      const { rows: migrationRows } = await client.query<{ name: string }>(
        'select name from migrations order by timestamp, id',
      );
      return new Dump(client, {
        takenAt: rows[0]!.takenAt.toISOString(),
        migrations: migrationRows.map(({ name }) => name),
        tables: await tablesOf(client),
        sequences: await sequencesOf(client),
      });
    } catch (error) {
      await client.end();
      throw error;
    }
  }

  /** The rows of a table in PostgreSQL's text format, which each version of PostgreSQL can read. */
  rows({ name, columns }: DumpedTable): Readable {
    return this.client.query(copyTo(`copy "${name}" (${quotedColumns(columns)}) to stdout`));
  }

  /** The files that the rows refer to, one attempt at a time. */
  async *files(): AsyncGenerator<DumpedFiles> {
    await this.client.query(DECLARE_FILES);
    for (;;) {
      const { rows } = await this.client.query<{ runId: string; attempt: number; names: ResultFileName[] }>(
        `fetch 5000 from files`,
      );
      for (const { runId, attempt, names } of rows) yield { runId: Number(runId), attempt, names };
      if (rows.length === 0) return;
    }
  }

  /** Closes the connection. A dump is complete only after this call. */
  end(): Promise<void> {
    return this.client.end();
  }
}

export function quotedColumns(columns: string[]): string {
  return columns.map((column) => `"${column}"`).join(', ');
}

const fileNamesSql = (row: string): string => `
  array_remove(array[case when ${row}.log_size is not null then 'log.gz' end,
    case when ${row}.log_size is not null then 'log-index.json' end,
    case when ${row}.artifacts_size is not null then 'artifacts.tar.gz' end,
    case when ${row}.artifacts_size is not null then 'artifacts-index.json' end], null)`;

const DECLARE_FILES = `
  declare files no scroll cursor for
  select r.run_id::text as "runId", r.attempt, ${fileNamesSql('r')} as names from runs r
  where r.log_size is not null or r.artifacts_size is not null
  union
  select a.run_id::text, a.attempt, ${fileNamesSql('a')} from attempts a
  where a.log_size is not null or a.artifacts_size is not null`;
