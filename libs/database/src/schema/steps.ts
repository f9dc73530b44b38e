import type { QueryRunner } from 'typeorm';
import { patiently, select, logProgress, transaction, waiting } from './session';

/**
 * Builds missing indexes while others read and write. An invalid index from an interrupted build is dropped first.
 * @param definitions `create [unique] index NAME on …`
 */
export async function buildIndexes(runner: QueryRunner, definitions: string[]): Promise<void> {
  for (const definition of definitions) {
    const [, kind, name, rest] = /^create (unique )?index (\w+) (on [^]*)$/i.exec(definition.trim())!;
    await patiently(runner, () =>
      waiting(runner, async () => {
        const [index] = await select<{ isValid: boolean }>(runner, INDEX, [name]);
        if (index?.isValid) return;
        if (index) await runner.query(`drop index concurrently ${name}`);
        logProgress(runner, `building the index ${name}`);
        await runner.query(`create ${kind ?? ''}index concurrently ${name} ${rest}`);
      }),
    );
  }
}

const INDEX = `select indisvalid as "isValid" from pg_index where indexrelid = to_regclass($1)`;

/** Checks the rows that existed when constraints were added as `not valid`, while others read and write. */
export async function validateConstraints(runner: QueryRunner, tables: string[]): Promise<void> {
  for (const { table, name } of await select<{ table: string; name: string }>(runner, NOT_VALID, [tables])) {
    logProgress(runner, `checking ${name} of ${table}`);
    await patiently(runner, () =>
      waiting(runner, () => runner.query(`alter table ${table} validate constraint ${name}`)),
    );
  }
}

const NOT_VALID = `
  select conrelid::regclass::text as table, quote_ident(conname) as name from pg_constraint
  where conrelid = any($1::regclass[]) and contype in ('c', 'f') and not convalidated order by 1, 2`;

/** Rows that one transaction reads or writes: it takes a fraction of a second. */
const BATCH_ROWS = 20_000;

/** The number of batches between two progress lines. */
const BATCHES_PER_LINE = 25;

/**
 * Walks through a table in the order of an indexed integer column, with a transaction for each batch.
 * @param work handles the rows above `from` and up to `to`; it is repeated if it was interrupted
 */
export async function inBatches(
  runner: QueryRunner,
  table: string,
  column: string,
  work: (from: number, to: number) => Promise<unknown>,
): Promise<void> {
  const next = `select max(${column}) as to, count(*) as rows from (
    select ${column} from ${table} where ${column} > $1 order by ${column} limit ${BATCH_ROWS}) as batch`;
  let count = 0;
  for (let batch = 1, from = 0; ; batch += 1) {
    const [{ to, rows }] = (await select<{ to: number | null; rows: number }>(runner, next, [from])) as [
      { to: number | null; rows: number },
    ];
    if (to === null) return;
    await patiently(runner, () => transaction(runner, () => work(from, to)));
    count += rows;
    if (batch % BATCHES_PER_LINE === 0) logProgress(runner, `${table}: ${count} rows`);
    from = to;
  }
}
