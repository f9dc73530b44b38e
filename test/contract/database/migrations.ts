import type { Client } from 'pg';
import type { MigrationInterface } from 'typeorm';
import { MIGRATIONS } from '@libs/database/src/schema/migrations';

const NOW = MIGRATIONS.length;

/** From now on, until `forgetLater`, this version has one more migration. */
export function addLater(later: new () => MigrationInterface): void {
  MIGRATIONS.push(later);
}

export function forgetLater(): void {
  MIGRATIONS.splice(NOW);
}

/** What the catalogue says of tables, columns, constraints and indexes, to compare. */
export async function schemaOf(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ part: string }>(`
    with tables as (
      select oid, relname from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'migrations'
    )
    select format('%s.%s %s %s %s default %s', t.relname, a.attname, format_type(a.atttypid, a.atttypmod),
        case when a.attnotnull then 'not null' end, a.attidentity, pg_get_expr(d.adbin, d.adrelid)) as part
      from tables t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
      left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
    union all select format('%s %s: %s %s', t.relname, c.conname, pg_get_constraintdef(c.oid), c.convalidated)
      from tables t join pg_constraint c on c.conrelid = t.oid where c.contype <> 'n'
    union all select format('%s %s', pg_get_indexdef(i.indexrelid), i.indisvalid)
      from tables t join pg_index i on i.indrelid = t.oid
    order by 1`);
  return rows.map(({ part }) => part);
}
