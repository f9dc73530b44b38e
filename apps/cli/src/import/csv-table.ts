import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { describe } from '@proctor/contracts';
import { Failure } from '../failure';
import { csvRows } from './csv';

/** Number of faults that are printed; further faults are only counted. */
const FAULTS_MAX = 20;

/** An invalid value in the row that is being read. */
export class FieldFault extends Error {
  constructor(column: string, value: unknown, rule: string) {
    super(`${column} must ${rule}, not ${describe(value)}`);
  }
}

/** A row whose fields are read by the name of their column. */
export class TableRow {
  constructor(
    readonly line: number,
    private readonly columns: ReadonlyMap<string, number>,
    private readonly fields: (string | null)[],
  ) {}

  /** Returns null also for a column that older versions do not have. */
  text(column: string): string | null {
    const place = this.columns.get(column);
    return place === undefined ? null : (this.fields[place] ?? null);
  }

  /** @throws FieldFault if the field is empty */
  requiredText(column: string): string {
    const value = this.text(column);
    if (value === null) throw new FieldFault(column, undefined, 'be given');
    return value;
  }

  /** @throws FieldFault if the field is no whole number from 0 to `most` */
  integer(column: string, most: number): number | null {
    const value = this.text(column);
    if (value === null) return null;
    const number = /^-?\d{1,16}$/.test(value) ? Number(value) : NaN;
    if (number >= 0 && number <= most) return number;
    throw new FieldFault(column, value, `be a whole number from 0 to ${most}`);
  }

  /** Reads a boolean in the form of PostgreSQL or SQLite. @throws FieldFault for any other text */
  boolean(column: string): boolean {
    const value = this.text(column);
    if (value === null || ['f', '0', 'false'].includes(value)) return false;
    if (['t', '1', 'true'].includes(value)) return true;
    throw new FieldFault(column, value, 'be t or f');
  }

  /** Reads a time; without a zone it is UTC. @throws FieldFault if the text is no time */
  time(column: string): Date | null {
    const value = this.text(column);
    if (value === null) return null;
    const match = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d{1,9})?( ?UTC|Z|[+-]\d\d(:?\d\d)?)?$/.exec(
      value,
    );
    const [, day, clock, fraction = '', zone = 'Z'] = match ?? [];
    const offset = /^[+-]\d\d$/.test(zone) ? `${zone}:00` : zone.replace(/ ?UTC/, 'Z');
    const time = new Date(`${day}T${clock}${fraction.slice(0, 4)}${offset}`);
    if (match && !Number.isNaN(time.getTime())) return time;
    throw new FieldFault(column, value, 'be a time');
  }
}

/** A CSV file whose first row names the columns. */
export class Table {
  constructor(
    readonly path: string,
    private readonly neededColumns: string[],
  ) {}

  get exists(): boolean {
    return existsSync(this.path);
  }

  /**
   * Converts each row with `read`, and yields the results in batches.
   * @throws Failure that names each fault with file, line, column and value, after all rows were read
   */
  async *read<T>(read: (row: TableRow) => T): AsyncGenerator<T[]> {
    const name = basename(this.path);
    if (!this.exists) throw new Failure(`${this.path} is not there`);
    let columns: ReadonlyMap<string, number> | null = null;
    const faults: string[] = [];
    let count = 0;
    for await (const part of csvRows(this.path)) {
      const results: T[] = [];
      for (const { line, fields } of part) {
        if (!columns) {
          columns = new Map(fields.map((field, place) => [field ?? '', place]));
          const missing = this.neededColumns.filter((column) => !columns!.has(column));
          if (missing.length > 0)
            throw new Failure(
              `${name}:1: the header lacks ${missing.join(', ')}: export with \`csv header\``,
            );
          continue;
        }
        try {
          if (fields.length !== columns.size)
            throw new Error(`there are ${fields.length} fields, and ${columns.size} columns`);
          results.push(read(new TableRow(line, columns, fields)));
        } catch (error) {
          count += 1;
          if (faults.length < FAULTS_MAX) faults.push(`${name}:${line}: ${(error as Error).message}`);
        }
      }
      yield results;
    }
    if (count === 0) return;
    const rest = count > faults.length ? `\nand ${count - faults.length} more` : '';
    throw new Failure(`${count} rows cannot be imported; nothing was written\n${faults.join('\n')}${rest}`);
  }

  async all<T>(read: (row: TableRow) => T): Promise<T[]> {
    const rows: T[] = [];
    for await (const part of this.read(read)) for (const row of part) rows.push(row);
    return rows;
  }
}
