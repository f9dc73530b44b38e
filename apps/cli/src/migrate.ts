import { migrate } from '@proctor/database';
import { databaseUrl } from './own-servers';
import type { OutputOptions } from './output/print';

export async function migrateDatabase({ json }: OutputOptions): Promise<object> {
  const names = await migrate(await databaseUrl(), { progress: (line) => console.error(line) });
  if (!json) for (const name of names) console.log(name);
  console.error(names.length === 0 ? 'the database is up to date' : `${names.length} migrations ran`);
  return { migrations: names };
}
