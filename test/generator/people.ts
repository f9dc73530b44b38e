import type { Submitter } from '@proctor/database';
import type { Client } from 'pg';

/** Users that ask for runs, the first for most of them: each with a key whose secret does not exist. */
export async function makePeople(client: Client): Promise<Submitter[]> {
  const { rows } = await client.query<{ userId: number; keyId: number }>(`
    with person as (
      insert into users (name, is_admin)
      select name, false from unnest('{britney,release-team,ada,grace,ci-security}'::text[]) name
      on conflict (name) do update set name = excluded.name
      returning user_id, name
    )
    insert into api_keys (user_id, name, prefix, key_hash)
    select user_id, 'generated', 'pk_generated_' || user_id, encode(sha256(('generated ' || name)::bytea), 'hex')
    from person order by user_id
    on conflict (prefix) do update set name = excluded.name
    returning user_id as "userId", key_id as "keyId"`);
  return rows;
}
