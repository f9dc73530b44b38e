import { NewKey, requestOf, Signals } from '@proctor/administration';
import { ApiKeys } from '@proctor/database';
import { administer } from './administration';

/**
 * Prints the key alone on standard output, so that a script can keep it.
 * @throws UnknownUser
 */
export async function createKey(userName: string, options: { name: string }): Promise<void> {
  const { name } = requestOf(NewKey, options);
  const { id, key, prefix } = await administer((get) => get(ApiKeys).create(userName, name));
  console.log(key);
  console.error(`key ${id} (${prefix}…) of ${userName} made; it is shown this once`);
}

/**
 * One line for each key: id, prefix, name, creation, last use, state.
 * @throws UnknownUser
 */
export async function listKeys(userName: string): Promise<void> {
  const keys = await administer((get) => get(ApiKeys).list(userName));
  for (const key of keys) {
    const used = key.lastUsedAt ? `used ${key.lastUsedAt.toISOString()}` : 'never used';
    const state = key.revokedAt ? `revoked ${key.revokedAt.toISOString()}` : 'valid';
    console.log([key.id, key.prefix, key.name, key.createdAt.toISOString(), used, state].join('\t'));
  }
  if (keys.length === 0) console.error(`${userName} has no keys`);
}

export async function revokeKey(idOrPrefix: string): Promise<void> {
  const isRevoked = await administer(async (get) => {
    const revoked = await get(ApiKeys).revoke(idOrPrefix);
    if (revoked) await get(Signals).keys();
    return revoked;
  });
  if (!isRevoked) throw new Error(`there is no valid key ${idOrPrefix}`);
  console.error(`key ${idOrPrefix} revoked`);
}
