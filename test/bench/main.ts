import 'reflect-metadata';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { Logger } from '@nestjs/common';
import { format, resolveConfig } from 'prettier';
import { growthImage } from './growth-image';
import { judge } from './judging';
import { describeMachine } from './machine';
import { Place } from './place';
import { document, HEAD, lines, type Machine, measuredRow, type MeasuredRow } from './report';
import type { Row } from './row';
import { ROWS } from './rows';
import { growth } from './rows/growth';

const DOCUMENT = 'docs/benchmarks.md';
const GROWTH_IMAGE = 'docs/images/growth.svg';
/** What earlier runs measured, so that rows can be measured by and by. */
const MEASURED = '.cache/bench-measured.json';

/**
 * Measures all rows but the large ones, or those that are named, and prints them; all rows are written to the document.
 * `--list`: only their names. `--quick`: at tiny sizes, to see that the bench works. `--large`: the large rows too.
 * `--write`: rows that are named are written too. Each is as soon as it was measured, beside what was measured before.
 */
async function main(): Promise<void> {
  const flag = { type: 'boolean', default: false } as const;
  const { values, positionals } = parseArgs({
    options: { list: flag, quick: flag, large: flag, write: flag },
    allowPositionals: true,
  });
  const rows = chooseRows(positionals, values).filter((row) => !(values.quick && row.isNeverQuick));
  if (values.list) {
    for (const { name, what, isLarge } of rows)
      console.log(`${name.padEnd(24)} ${what}${isLarge ? ' (large)' : ''}`);
    return;
  }
  Logger.overrideLogger(false);
  const isWritten = !values.quick && (values.write || positionals.length === 0);
  const measured = await measureAll(rows, values.quick, isWritten ? write : () => Promise.resolve());
  const failures = rows.length - measured;
  if (failures > 0) process.exitCode = 1;
  if (values.quick) console.log(`\n${measured} passed, ${failures} failed`);
}

function chooseRows(names: string[], { large, quick }: { large: boolean; quick: boolean }): Row[] {
  if (names.length === 0) return ROWS.filter(({ isLarge }) => large || quick || !isLarge);
  return names.map((name) => {
    const row = ROWS.find((each) => each.name === name);
    if (!row) throw new Error(`there is no row ${name}: npm run bench -- --list prints them`);
    return row;
  });
}

/** @returns how many rows were measured */
async function measureAll(
  rows: Row[],
  isQuick: boolean,
  keep: (machine: Machine, row: MeasuredRow) => Promise<void>,
): Promise<number> {
  const place = await Place.open({ isQuick });
  let measured = 0;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void place.close().finally(() => process.exit(1)));
  try {
    const machine = await describeMachine(place);
    console.log(HEAD);
    for (const row of rows) {
      const startedAt = performance.now();
      try {
        const result = measuredRow(row, await judge(row, place), machine);
        for (const line of lines(result)) console.log(line);
        await keep(machine, result);
        measured += 1;
      } catch (error) {
        console.error(`the row ${row.name} could not be measured:`, error);
      }
      console.error(`${row.name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
    }
    return measured;
  } finally {
    await place.close();
  }
}

/** Puts a row beside those that were measured before. */
async function write(machine: Machine, row: MeasuredRow): Promise<void> {
  const measuredRows = JSON.parse(await readFile(MEASURED, 'utf8').catch(() => '{}')) as Record<
    string,
    MeasuredRow
  >;
  measuredRows[row.name] = row;
  await mkdir(dirname(MEASURED), { recursive: true });
  await writeFile(MEASURED, JSON.stringify(measuredRows));
  const grown = measuredRows[growth.name];
  if (grown) {
    await mkdir(dirname(GROWTH_IMAGE), { recursive: true });
    await writeFile(GROWTH_IMAGE, growthImage(grown));
  }
  const inOrder = ROWS.flatMap(({ name }) => measuredRows[name] ?? []);
  await writeFile(
    DOCUMENT,
    await format(document(machine, inOrder), { ...(await resolveConfig(DOCUMENT)), parser: 'markdown' }),
  );
  console.error(`${DOCUMENT} is written`);
}

main().then(
  // What a row that failed has left connected does not keep the bench from its end.
  () => process.exit(),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
