import { migrate } from '@proctor/database';
import { databaseUrl } from './home-database';

export async function migrateDatabase(): Promise<void> {
  const names = await migrate(await databaseUrl(), { progress: (line) => console.error(line) });
  for (const name of names) console.log(name);
  console.error(names.length === 0 ? 'the database is up to date' : `${names.length} migrations ran`);
}
