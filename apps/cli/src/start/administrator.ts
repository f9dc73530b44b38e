import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { COMMAND_LINE, openDatabase } from '@proctor/database';
import { type Home, replaceFile } from '@proctor/embedded';
import { ADMINISTRATOR } from '../arguments';

export interface AdministratorAccess {
  /** null when it was made elsewhere and is not kept in this home. */
  key: string | null;
  /** Whether the key is new. */
  isNew: boolean;
  /** Whether the password of the first login is kept in this home. */
  hasPasswordFile: boolean;
}

const PASSWORD_BYTES = 15;

/** The first start makes the user `admin` with a password and one API key, both kept in the home. */
export async function administratorAccess(url: string, home: Home): Promise<AdministratorAccess> {
  const database = await openDatabase(url);
  try {
    if (!(await database.users.find(ADMINISTRATOR)))
      await database.users.add(ADMINISTRATOR, { isAdmin: true, by: COMMAND_LINE });
    const isRemoved = (await database.users.record(ADMINISTRATOR))?.standing === 'removed';
    if (!isRemoved && !(await database.users.hasPassword(ADMINISTRATOR))) {
      const password = randomBytes(PASSWORD_BYTES).toString('base64url');
      // Written first: after a start that was interrupted between the two, the next one replaces it.
      await replaceFile(home.adminPassword, `${password}\n`, 0o600);
      await database.users.setPassword(ADMINISTRATOR, password, COMMAND_LINE);
    }
    // Also after a start that was interrupted between the two.
    if (!isRemoved && (await database.apiKeys.list(ADMINISTRATOR)).length === 0) {
      const { key } = await database.apiKeys.create(ADMINISTRATOR, 'first start', COMMAND_LINE);
      await replaceFile(home.adminKey, `${key}\n`, 0o600);
      return { key, isNew: true, hasPasswordFile: existsSync(home.adminPassword) };
    }
  } finally {
    await database.close();
  }
  const kept = await readFile(home.adminKey, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return { key: kept?.trim() ?? null, isNew: false, hasPasswordFile: existsSync(home.adminPassword) };
}
