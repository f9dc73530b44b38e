import { createHash } from 'node:crypto';

/** The JavaScript types of values, by the names of PostgreSQL's types; see numeric-types.ts. */
interface Values {
  boolean: boolean;
  smallint: number;
  integer: number;
  bigint: number;
  'double precision': number;
  text: string;
  'text[]': string[];
  bytea: Buffer;
  json: unknown;
  jsonb: unknown;
  'timestamp with time zone': Date;
  /** The result of a function that is called for its effect. */
  void: '';
}

/** A column: its type in PostgreSQL, and the type of its values in TypeScript. */
export class Column<Value> {
  /** Only for the compiler: columns with values of different types are not interchangeable. */
  declare private readonly values: (value: Value) => Value;

  /** @param source an SQL expression; by default the column with the same name */
  constructor(
    readonly type: keyof Values,
    readonly isNullable: boolean,
    readonly source?: string,
  ) {}

  get orNull(): Column<Value | null> {
    return new Column(this.type, true, this.source);
  }

  /** Narrows the type of the values: a check constraint, or the code that writes them, allows only these. */
  as<Narrower extends Value>(): Column<Narrower> {
    return new Column(this.type, this.isNullable, this.source);
  }

  /** The column with another source: an SQL expression. */
  from(source: string): Column<Value> {
    return new Column(this.type, this.isNullable, source);
  }
}

function column<Type extends keyof Values>(type: Type): Column<Values[Type]> {
  return new Column(type, false);
}

export const boolean = column('boolean');
export const smallint = column('smallint');
export const integer = column('integer');
export const bigint = column('bigint');
export const double = column('double precision');
export const text = column('text');
export const texts = column('text[]');
export const bytea = column('bytea');
export const json = column('json');
export const jsonb = column('jsonb');
export const time = column('timestamp with time zone');
export const nothing = column('void');

/** An SQL expression of a column that may be null in the table, but is never null in the selected rows. */
export const certain = (column: string): string => `least(${column})`;

type AnyColumn = Pick<Column<unknown>, 'type' | 'isNullable' | 'source'>;

/** Columns by the names of their properties; in PostgreSQL these names are in snake_case. */
export type Columns = Record<string, AnyColumn>;

/**
 * A column for each property of a type: `satisfies ColumnsOf<T>` does not compile if one is missing. A property that
 * may be absent is null in the row.
 */
export type ColumnsOf<T> = {
  [Name in keyof T]-?: Column<undefined extends T[Name] ? Exclude<T[Name], undefined> | null : T[Name]>;
};

/** The type of a row with these columns. */
export type RowOf<Described> = {
  [Name in keyof Described]: Described[Name] extends Column<infer Value> ? Value : never;
};

/** The name of a property in PostgreSQL's form. */
export function snakeCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}

/** The names of the columns in PostgreSQL, for an insert. */
export function namesOf(columns: Columns): string {
  return Object.keys(columns).map(snakeCase).join(', ');
}

/** The list of a `select` that reads these columns from the row `row`. */
export function selectList(columns: Columns, row: string): string {
  return Object.entries(columns)
    .map(([name, { source }]) => `${source ?? `${row}.${snakeCase(name)}`} as "${name}"`)
    .join(', ');
}

/** The column list of `jsonb_to_recordset` for objects with these properties. */
export function propertiesOf(columns: Columns): string {
  return Object.entries(columns)
    .map(([name, { type }]) => `"${name}" ${type}`)
    .join(', ');
}

/** The parameters of an `unnest` that turns arrays into rows, $1 and so on: one for each column. */
export function arraysOf(columns: Columns): string {
  return Object.values(columns)
    .map(({ type }, index) => `$${index + 1}::${type}[]`)
    .join(', ');
}

/** The values of one row as parameters, in the order of the columns. */
export function valuesOfRow<Row>(columns: ColumnsOf<Row>, row: Row): unknown[] {
  return (Object.entries(columns) as [keyof Row, AnyColumn][]).map(([name, { type }]) =>
    type === 'json' || type === 'jsonb' ? JSON.stringify(row[name]) : row[name],
  );
}

/** The values for the parameters of `arraysOf`. PostgreSQL reads them in half the time of a list of JSON objects. */
export function valuesOf<Row>(columns: ColumnsOf<Row>, rows: Row[]): unknown[] {
  return (Object.entries(columns) as [keyof Row, AnyColumn][]).map(([name, { type }]) =>
    arrayOf(
      type === 'json' || type === 'jsonb'
        ? rows.map((row) => JSON.stringify(row[name]))
        : rows.map((row) => row[name]),
    ),
  );
}

/**
 * The array as a parameter; its elements are strings, numbers, booleans and nulls. Without escaped characters,
 * PostgreSQL's form differs from JSON only in the brackets. With escaped characters pg formats the array, which takes
 * ten times as long.
 */
export function arrayOf(values: unknown[]): unknown {
  const list = JSON.stringify(values);
  return list.includes('\\') ? values : `{${list.slice(1, -1)}}`;
}

/** An SQL statement, and the columns of its rows. */
export class Statement<Row> {
  /** Only for the compiler. */
  declare private readonly row: Row;

  constructor(
    readonly text: string,
    readonly columns: Columns,
    /** The name under which a connection keeps the statement prepared; null: it is parsed and planned at each call. */
    readonly name: string | null = null,
  ) {}

  /**
   * The statement for frequent use: each connection parses and analyses it once, under a name derived from its text.
   * After five executions PostgreSQL may use one plan for all parameters, if it expects that plan to be as good as
   * one for each call. Such a plan assumes that arrays have ten elements, so a test checks these plans.
   */
  get asPrepared(): Statement<Row> {
    const digest = createHash('sha256').update(this.text).digest('hex').slice(0, 24);
    return new Statement(this.text, this.columns, `proctor_${digest}`);
  }
}

/**
 * Creates a statement; use only this, once when the file is loaded. A test sends every statement to PostgreSQL and
 * compares the names and types of its columns.
 */
export function statement<const Described extends Columns>(
  columns: Described,
  sql: string,
): Statement<RowOf<Described>> {
  return new Statement(sql, columns);
}

/** A statement without rows. */
export function command(sql: string): Statement<never> {
  return statement({}, sql) as Statement<never>;
}
