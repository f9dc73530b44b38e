import { readFile, writeFile } from 'node:fs/promises';
import { openDatabase } from '@proctor/database';
import type { Home } from '@proctor/embedded';
import { ADMINISTRATOR } from '../arguments';

export interface AdministratorKey {
  /** null when it was made elsewhere and is not kept in this home. */
  key: string | null;
  isNew: boolean;
}

/** The first start makes the user `admin` with one API key, kept in the home. */
export async function administratorKey(url: string, home: Home): Promise<AdministratorKey> {
  const database = await openDatabase(url);
  try {
    if (!(await database.users.find(ADMINISTRATOR)))
      await database.users.add(ADMINISTRATOR, { isAdmin: true });
    // Also after a start that was interrupted between the two.
    if ((await database.apiKeys.list(ADMINISTRATOR)).length === 0) {
      const { key } = await database.apiKeys.create(ADMINISTRATOR, 'first start');
      await writeFile(home.adminKey, `${key}\n`, { mode: 0o600 });
      return { key, isNew: true };
    }
  } finally {
    await database.close();
  }
  const kept = await readFile(home.adminKey, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return { key: kept?.trim() ?? null, isNew: false };
}
