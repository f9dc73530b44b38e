import type { Client } from 'pg';

/** Sessions with the setting `proctor.drowse` sleep so many seconds in each transaction: all is written, not committed. */
export async function letDrowse(client: Client): Promise<void> {
  await client.query(`
    create function drowse() returns trigger language plpgsql as $$
      begin
        if coalesce(current_setting('proctor.drowse', true), '') <> ''
          and coalesce(current_setting('proctor.drowsed', true), '') = '' then
          perform set_config('proctor.drowsed', 'yes', true);
          perform pg_sleep(current_setting('proctor.drowse')::float8);
        end if;
        return null;
      end $$;
    create constraint trigger drowse after insert or update on runs deferrable initially deferred
      for each row execute function drowse()`);
}

/** The URL of the database for a session that sleeps before each commit. */
export function drowsy(url: string, seconds: number): string {
  if (seconds === 0) return url;
  const drowsyUrl = new URL(url);
  drowsyUrl.searchParams.set('options', `-c proctor.drowse=${seconds}`);
  return drowsyUrl.href;
}
