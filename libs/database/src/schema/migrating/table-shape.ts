import type { QueryRunner } from 'typeorm';
import { select } from './session';

/** What is added to a table's name for the function that repeats its changes in a copy. */
export const REPEAT = '_repeat';

/** A foreign key, with its definition as `alter table … add constraint` wants it. */
export interface ForeignKey {
  /** The table that refers. */
  from: string;
  /** The table that is referred to. */
  to: string;
  name: string;
  definition: string;
}

/** What the catalogue says of a table; names are quoted where they need to be. */
export interface TableShape {
  columns: { name: string; type: string }[];
  /** Of the primary key, in its order. */
  keyColumns: string[];
  /** Primary key and unique constraints. */
  uniques: { name: string; definition: string }[];
  /** Those that belong to no constraint. */
  indexes: { name: string; definition: string }[];
  foreignKeys: ForeignKey[];
  referrers: ForeignKey[];
  /** The column that numbers the rows, and its sequence. */
  identity: { column: string; sequence: string } | null;
  settings: string[] | null;
  owner: string;
  /** What would be lost if another table took this one's place. */
  unmovable: string[];
}

export async function shapeOf(runner: QueryRunner, table: string): Promise<TableShape> {
  const read = <Row>(statement: string) => select<Row>(runner, statement, [table]);
  const [whole] = (await read<Pick<TableShape, 'settings' | 'owner'>>(WHOLE)) as [
    Pick<TableShape, 'settings' | 'owner'>,
  ];
  const foreignKeys = await read<ForeignKey>(foreignKeysWhere('conrelid'));
  const referrers = await read<ForeignKey>(foreignKeysWhere('confrelid'));
  const [identity] = await read<{ column: string; sequence: string }>(IDENTITY);
  return {
    ...whole,
    columns: await read(COLUMNS),
    keyColumns: (await read<{ name: string }>(KEY_COLUMNS)).map(({ name }) => name),
    uniques: await read(UNIQUES),
    indexes: await read(INDEXES),
    foreignKeys,
    referrers,
    identity: identity ?? null,
    unmovable: (await read<{ what: string }>(UNMOVABLE)).map(({ what }) => what),
  };
}

/** Grants what roles other than the owner may do with the one relation on the other. */
export async function copyGrants(runner: QueryRunner, from: string, to: string): Promise<void> {
  const grants = await select<{ what: string; whom: string; option: string }>(runner, GRANTS, [from]);
  const kind = (await select<{ kind: string }>(runner, KIND, [from]))[0]!.kind;
  for (const { what, whom, option } of grants)
    await runner.query(`grant ${what} on ${kind} ${to} to ${whom}${option}`);
}

const WHOLE = `select reloptions as settings, quote_ident(pg_get_userbyid(relowner)) as owner
  from pg_class where oid = $1::regclass`;

const COLUMNS = `select quote_ident(attname) as name, format_type(atttypid, atttypmod) as type from pg_attribute
  where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`;

const KEY_COLUMNS = `select quote_ident(attname) as name
  from pg_index cross join lateral unnest(indkey) with ordinality as part(attnum, place)
  join pg_attribute a on a.attrelid = indrelid and a.attnum = part.attnum
  where indrelid = $1::regclass and indisprimary order by place`;

const UNIQUES = `select quote_ident(conname) as name, pg_get_constraintdef(oid) as definition from pg_constraint
  where conrelid = $1::regclass and contype in ('p', 'u') order by conname`;

const INDEXES = `select quote_ident(c.relname) as name, pg_get_indexdef(i.indexrelid) as definition
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where i.indrelid = $1::regclass and i.indisvalid
    and not exists (select from pg_constraint where conindid = i.indexrelid and conrelid = i.indrelid)
  order by c.relname`;

function foreignKeysWhere(side: 'conrelid' | 'confrelid'): string {
  return `select conrelid::regclass::text as from, confrelid::regclass::text as to, quote_ident(conname) as name,
      pg_get_constraintdef(oid) as definition
    from pg_constraint where ${side} = $1::regclass and contype = 'f' order by 1, 3`;
}

const IDENTITY = `select quote_ident(attname) as column,
    pg_get_serial_sequence($1, attname)::regclass::text as sequence
  from pg_attribute where attrelid = $1::regclass and attidentity <> '' and not attisdropped`;

const GRANTS = `select privilege_type as what, case when is_grantable then ' with grant option' else '' end as option,
    case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end as whom
  from pg_class c cross join lateral aclexplode(c.relacl) where c.oid = $1::regclass and grantee <> c.relowner`;

const KIND = `select case relkind when 'S' then 'sequence' else 'table' end as kind from pg_class
  where oid = $1::regclass`;

const UNMOVABLE = `
  select distinct 'the view ' || r.ev_class::regclass as what from pg_depend d join pg_rewrite r on r.oid = d.objid
    where d.classid = 'pg_rewrite'::regclass and d.refclassid = 'pg_class'::regclass and d.refobjid = $1::regclass
  union all select 'the trigger ' || tgname from pg_trigger
    where tgrelid = $1::regclass and not tgisinternal and tgfoid is distinct from to_regproc($1::text || '${REPEAT}')
  union all select 'the policy ' || polname from pg_policy where polrelid = $1::regclass
  union all select 'grants on the column ' || attname from pg_attribute
    where attrelid = $1::regclass and attacl is not null
  union all select 'the publication ' || pubname from pg_publication_rel r join pg_publication p on p.oid = r.prpubid
    where r.prrelid = $1::regclass
  order by 1`;
