import { readFile } from 'node:fs/promises';
import { EXIT, Failure } from '../failure';
import { HOW_TO_NAME_ONE } from './address';

/** @returns null when there is none @throws Failure where another user's home is not to be read */
export async function keyIn(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim() || null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    if (code === 'EACCES') throw ofAnother(path, error);
    throw error;
  }
}

/** What is said to who may not use the home. */
export function ofAnother(path: string, cause: unknown): Failure {
  const advice = `type it as the user of the services (runuser -u proctor -- proctor …), or ${HOW_TO_NAME_ONE}`;
  return new Failure(`no service is named, and ${path} belongs to another user`, EXIT.key, advice, { cause });
}
