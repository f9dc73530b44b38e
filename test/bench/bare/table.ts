import type { Client } from 'pg';

/** A table with the columns, indexes, keys and checks of `runs`, and nothing that depends on it. */
export async function makeBareTable(client: Client): Promise<void> {
  await client.query('create table bare_runs (like runs including all)');
  await client.query(
    'alter table bare_runs add foreign key (api_key_id, requestor_id) references api_keys (key_id, user_id)',
  );
}

const COLUMNS = `package, suite, arch, backend, variant, priority, trigger, pin_packages, extra_apt_sources,
  is_private, requestor_id, api_key_id, created_at, updated_at`;

function rowOf(name: string, trigger: string): string {
  return `${name}, 'sid', 'amd64', 'null', 'nothing', 5, ${trigger}, '[]', '[]', false, $2, $3, now(), now()`;
}

export const INSERT_ONE = `
  insert into bare_runs (${COLUMNS}) values (${rowOf('$1', 'null')}) returning run_id as "runId"`;

/** Adds a run of each package of $1 with its trigger in $4. */
export const INSERT_LIST = `
  insert into bare_runs (${COLUMNS})
  select ${rowOf('item.package', 'item.trigger')} from unnest($1::text[], $4::text[]) as item(package, trigger)
  returning run_id as "runId"`;
