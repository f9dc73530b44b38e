import { createHash } from 'node:crypto';

/** What a connection makes of values of PostgreSQL's types, by their names there; see numeric-types.ts. */
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
  /** What a function gives that is called for what it does. */
  void: '';
}

/** One column: its type in PostgreSQL, and the type of its values here. */
export class Column<Value> {
  /** Exists for the compiler only: a column of other values does not fit in this one's place. */
  declare private readonly values: (value: Value) => Value;

  /** @param source an SQL expression, where it is not the column of its own name */
  constructor(
    readonly type: keyof Values,
    readonly isNullable: boolean,
    readonly source?: string,
  ) {}

  get orNull(): Column<Value | null> {
    return new Column(this.type, true, this.source);
  }

  /** Of the values of its type, these are possible: a check constraint, or what writes them, says so. */
  as<Narrower extends Value>(): Column<Narrower> {
    return new Column(this.type, this.isNullable, this.source);
  }

  /** Selected by an SQL expression. */
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

/** An SQL expression of a column that may be null in the table, and is not in the rows that are selected. */
export const certain = (column: string): string => `least(${column})`;

type AnyColumn = Pick<Column<unknown>, 'type' | 'isNullable' | 'source'>;

/** Columns by the names that their values have here; in PostgreSQL the same names are in snake_case. */
export type Columns = Record<string, AnyColumn>;

/**
 * A column for each property of a type: `satisfies ColumnsOf<T>` does not compile when one is forgotten. A property that
 * may be absent is null then.
 */
export type ColumnsOf<T> = {
  [Name in keyof T]-?: Column<undefined extends T[Name] ? Exclude<T[Name], undefined> | null : T[Name]>;
};

/** The row that such columns make. */
export type RowOf<Described> = {
  [Name in keyof Described]: Described[Name] extends Column<infer Value> ? Value : never;
};

/** A name here, as PostgreSQL has it. */
export function snakeCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}

/** Their names in PostgreSQL, for an insert. */
export function namesOf(columns: Columns): string {
  return Object.keys(columns).map(snakeCase).join(', ');
}

/** What a `select` names, to get these columns of the row `row`. */
export function selectList(columns: Columns, row: string): string {
  return Object.entries(columns)
    .map(([name, { source }]) => `${source ?? `${row}.${snakeCase(name)}`} as "${name}"`)
    .join(', ');
}

/** The definition of what `jsonb_to_recordset` makes of objects with these properties. */
export function propertiesOf(columns: Columns): string {
  return Object.entries(columns)
    .map(([name, { type }]) => `"${name}" ${type}`)
    .join(', ');
}

/** The parameters of an `unnest` that makes rows of arrays, $1 and so on: one for each column. */
export function arraysOf(columns: Columns): string {
  return Object.values(columns)
    .map(({ type }, place) => `$${place + 1}::${type}[]`)
    .join(', ');
}

/** The values of one row as parameters, in the order of the columns. */
export function valuesOfRow<Row>(columns: ColumnsOf<Row>, row: Row): unknown[] {
  return (Object.entries(columns) as [keyof Row, AnyColumn][]).map(([name, { type }]) =>
    type === 'json' || type === 'jsonb' ? JSON.stringify(row[name]) : row[name],
  );
}

/** The values of such parameters. PostgreSQL reads them in half the time that it takes for a list of JSON objects. */
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
 * Strings, numbers, booleans and nulls as a parameter that is an array. PostgreSQL writes an array as JSON does but for the brackets,
 * and for what is escaped: with any of that, pg writes it, which takes ten times as long.
 */
export function arrayOf(values: unknown[]): unknown {
  const written = JSON.stringify(values);
  return written.includes('\\') ? values : `{${written.slice(1, -1)}}`;
}

/** An SQL statement, and the columns of its rows. */
export class Statement<Row> {
  /** Exists for the compiler only. */
  declare private readonly row: Row;

  constructor(
    readonly text: string,
    readonly columns: Columns,
    /** Under which a connection keeps it prepared; null when it is parsed and planned each time. */
    readonly name: string | null = null,
  ) {}

  /**
   * The same for a hot path: each connection has it parsed and analysed once, by a name that is made of its text. After five
   * executions PostgreSQL may plan it once for all parameters too, where it expects no worse of that than of a plan for each.
   * It takes ten elements for the length of an array then, so a test looks at these plans.
   */
  get asPrepared(): Statement<Row> {
    const digest = createHash('sha256').update(this.text).digest('hex').slice(0, 24);
    return new Statement(this.text, this.columns, `proctor_${digest}`);
  }
}

/**
 * The one way to make a statement, once for each when its file is loaded. A test shows every one to PostgreSQL, and compares
 * the names and types of its columns.
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
