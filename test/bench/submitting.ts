import { type OpenDatabase, openDatabase, type Submitter } from '@proctor/database';

/** A requestor of a fresh database. */
export async function someRequestor(url: string): Promise<{ database: OpenDatabase; submitter: Submitter }> {
  const database = await openDatabase(url);
  await database.users.add('bench', { isAdmin: false });
  const { key } = await database.apiKeys.create('bench', 'bench');
  const requestor = await database.apiKeys.authenticate(key);
  if (!requestor) throw new Error('the key just made is not known');
  return { database, submitter: requestor };
}
