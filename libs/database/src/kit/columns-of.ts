import { getMetadataArgsStorage } from 'typeorm';
import { Column, type Columns, snakeCase } from './statement';

/** The properties of an entity that are columns. The others are relations, and may be absent. */
export type ColumnName<Entity> = {
  [Name in keyof Entity]-?: object extends Pick<Entity, Name> ? never : Name;
}[keyof Entity];

/** A whole row of an entity's table. */
export type WholeRow<Entity> = Pick<Entity, ColumnName<Entity>>;

type EntityClass<Entity> = abstract new () => Entity;

type EntityColumns<Entity, Name extends keyof Entity> = { [N in Name]: Column<Entity[N]> };

/** The columns of an entity, as its decorators describe them: the named ones, or all. */
export function columnsOf<Entity>(entity: EntityClass<Entity>): EntityColumns<Entity, ColumnName<Entity>>;
export function columnsOf<Entity, const Name extends ColumnName<Entity>>(
  entity: EntityClass<Entity>,
  ...names: Name[]
): EntityColumns<Entity, Name>;
export function columnsOf(entity: EntityClass<object>, ...names: string[]): Columns {
  const all = describedColumns(entity);
  if (names.length === 0) return all;
  return Object.fromEntries(names.map((name) => [name, all[name]!]));
}

/** The columns without the named ones. */
export function without<Described extends Columns, const Name extends keyof Described>(
  columns: Described,
  ...names: Name[]
): Omit<Described, Name> {
  const rest = Object.entries(columns).filter(([name]) => !(names as PropertyKey[]).includes(name));
  return Object.fromEntries(rest) as Omit<Described, Name>;
}

/**
 * How an insert treats a row that has the same key.
 * `key`: the properties of the key, by default the primary key. `set`: the properties that get new values, by default
 * all others.
 */
interface Upsert {
  key?: string[];
  set?: string[];
}

/** The end of an `insert` statement: a row with the same key gets the new values. */
export function upsert(
  entity: EntityClass<object>,
  { key = keyOf(entity), set = notOf(entity, key) }: Upsert = {},
): string {
  const names = set.map(snakeCase);
  return `
    on conflict (${key.map(snakeCase).join(', ')})
      do update set ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`;
}

/** The end of an `insert into … as kept` statement: a row with the same key gets the new values if they differ. */
export function upsertChangedRows(
  entity: EntityClass<object>,
  { key = keyOf(entity), set = notOf(entity, key) }: Upsert = {},
): string {
  const values = (row: string) => set.map((name) => `${row}.${snakeCase(name)}`).join(', ');
  return `${upsert(entity, { key, set })}
      where (${values('kept')}) is distinct from (${values('excluded')})`;
}

function notOf(entity: EntityClass<object>, key: string[]): string[] {
  return Object.keys(describedColumns(entity)).filter((name) => !key.includes(name));
}

function describedColumns(entity: EntityClass<object>): Record<string, Columns[string]> {
  return Object.fromEntries(
    argumentsOf(entity).map(({ propertyName, options }) => [
      propertyName,
      new Column(
        `${options.type as string}${options.array ? '[]' : ''}` as Columns[string]['type'],
        options.nullable ?? false,
      ),
    ]),
  );
}

function keyOf(entity: EntityClass<object>): string[] {
  return argumentsOf(entity)
    .filter(({ options }) => options.primary)
    .map(({ propertyName }) => propertyName);
}

/** The arguments of the decorators of the entity's columns, and of those of the classes that it extends. */
function argumentsOf(entity: EntityClass<object>) {
  const classes: unknown[] = [];
  for (let ancestor: unknown = entity; ancestor; ancestor = Object.getPrototypeOf(ancestor))
    classes.push(ancestor);
  return getMetadataArgsStorage().columns.filter(({ target }) => classes.includes(target));
}
