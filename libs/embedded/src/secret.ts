import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';

const SECRET_BYTES = 24;

/** The secret in a file that only its owner can read; created by the first call. Letters, digits, `-` and `_`. */
export async function loadSecret(path: string): Promise<string> {
  try {
    await writeFile(path, `${randomBytes(SECRET_BYTES).toString('base64url')}\n`, {
      mode: 0o600,
      flag: 'wx',
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const secret = (await readFile(path, 'utf8')).trim();
  if (secret === '') throw new Error(`${path} is empty: remove it, and the next start makes a new one`);
  return secret;
}
