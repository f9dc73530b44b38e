import type { KeyScope } from '@proctor/contracts';
import { administration } from '../administration/administration';
import { type AskOptions, confirmOnTerminal } from '../output/ask';
import { type OutputOptions, printJson, printTable, say, write } from '../output/print';
import type { ServiceOptions } from '../service/address';
import { askHidden } from './password';

interface NewKeyOptions extends ServiceOptions, OutputOptions {
  name: string;
  scope: KeyScope;
  expires?: string;
}

/**
 * Prints the key alone on standard output, so that a script can keep it. A service that is named asks for the user's password.
 * @throws also when there is no such user
 */
export async function createKey(
  userName: string,
  { name, scope, expires, ...options }: NewKeyOptions,
): Promise<object> {
  const to = await administration(options);
  const fields = { name, scope, ...(expires !== undefined && { expires_at: expires }) };
  const made = await to.createKey(userName, fields, passwordOf(userName));
  if (!options.json) write(`${made.key}\n`);
  say(`key ${made.id} of ${userName} made; it is shown this once`);
  return made;
}

/** Prints the new secret alone. The key stays what it is: its runs, its name and its limits. @throws also when the user has no such key */
export async function rotateKey(
  userName: string,
  id: number,
  options: ServiceOptions & OutputOptions,
): Promise<object> {
  const rotated = await (await administration(options)).rotateKey(userName, id, passwordOf(userName));
  if (!options.json) write(`${rotated.key}\n`);
  say(`key ${id} of ${userName} has a new secret; it is shown this once, and the old one opens nothing`);
  return rotated;
}

/** Their own, which a service asks for. */
function passwordOf(userName: string): () => Promise<string> {
  return () => askHidden(`Password of ${userName} (a key is made by its user): `);
}

/** @throws also when there is no such user */
export async function listKeys(userName: string, options: ServiceOptions & OutputOptions): Promise<void> {
  const keys = await (await administration(options)).keys(userName);
  if (options.json) return printJson({ keys, before: null });
  const time = (at: string | null): Date | null => (at === null ? null : new Date(at));
  printTable(
    keys,
    [
      { head: 'ID', of: (key) => key.id },
      { head: 'PREFIX', of: (key) => key.prefix },
      { head: 'NAME', of: (key) => key.name, isCut: true },
      { head: 'MADE', of: (key) => time(key.created_at) },
      { head: 'USED', of: (key) => time(key.last_used_at) },
      { head: 'SCOPE', of: (key) => key.scope },
      { head: 'EXPIRES', of: (key) => time(key.expires_at) },
    ],
    `${userName} has no valid keys; make one: proctor key create ${userName} --name TEXT`,
  );
}

/** @throws also when there is no such key, or it is revoked */
export async function revokeKey(idOrPrefix: string, options: ServiceOptions & AskOptions): Promise<object> {
  const to = await administration(options);
  await confirmOnTerminal(`key ${idOrPrefix} opens nothing any more, for good`, options);
  const revoked = await to.revokeKey(idOrPrefix);
  say(`key ${idOrPrefix} revoked`);
  return revoked;
}
