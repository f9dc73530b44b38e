import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { COMMAND_LINE, openDatabase } from '@proctor/database';
import { type Home, replaceFile } from '@proctor/embedded';
import { ADMINISTRATOR } from '../arguments';

export interface AdministratorAccess {
  /** Null if the key was created elsewhere and is not saved in this home. */
  key: string | null;
  /** Whether this start created the key. */
  isNew: boolean;
  /** Whether the password of the first login is saved in this home. */
  hasPasswordFile: boolean;
}

const PASSWORD_BYTES = 15;

/**
 * Returns the access of the user `admin`. The first start creates this user with a password and one API key, and saves
 * both in the home.
 */
export async function administratorAccess(url: string, home: Home): Promise<AdministratorAccess> {
  const database = await openDatabase(url);
  try {
    if (!(await database.users.find(ADMINISTRATOR)))
      await database.users.add(ADMINISTRATOR, { isAdmin: true, by: COMMAND_LINE });
    const isRemoved = (await database.users.record(ADMINISTRATOR))?.standing === 'removed';
    if (!isRemoved && !(await database.users.hasPassword(ADMINISTRATOR))) {
      const password = randomBytes(PASSWORD_BYTES).toString('base64url');
      // Written first: if the start is interrupted before the next line, the next start replaces the file.
      await replaceFile(home.adminPassword, `${password}\n`, 0o600);
      await database.users.setPassword(ADMINISTRATOR, password, COMMAND_LINE);
    }
    // This also repairs a start that was interrupted after the key was created in the database.
    if (!isRemoved && (await database.apiKeys.list(ADMINISTRATOR)).length === 0) {
      const { key } = await database.apiKeys.create(ADMINISTRATOR, 'first start', COMMAND_LINE);
      await replaceFile(home.adminKey, `${key}\n`, 0o600);
      return { key, isNew: true, hasPasswordFile: existsSync(home.adminPassword) };
    }
  } finally {
    await database.close();
  }
  const savedKey = await readFile(home.adminKey, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return { key: savedKey?.trim() ?? null, isNew: false, hasPasswordFile: existsSync(home.adminPassword) };
}
