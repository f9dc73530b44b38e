import { withDatabase } from './home-database';

/**
 * Prints the key alone on standard output, so that a script can keep it.
 * @throws UnknownUser
 */
export async function createKey(userName: string, options: { name: string }): Promise<void> {
  const { id, key, prefix } = await withDatabase(({ apiKeys }) => apiKeys.create(userName, options.name));
  console.log(key);
  console.error(`key ${id} (${prefix}…) of ${userName} made; it is shown this once`);
}

/**
 * One line for each key: id, prefix, name, creation, last use, state.
 * @throws UnknownUser
 */
export async function listKeys(userName: string): Promise<void> {
  const keys = await withDatabase(({ apiKeys }) => apiKeys.list(userName));
  for (const key of keys) {
    const used = key.lastUsedAt ? `used ${key.lastUsedAt.toISOString()}` : 'never used';
    const state = key.revokedAt ? `revoked ${key.revokedAt.toISOString()}` : 'valid';
    console.log([key.id, key.prefix, key.name, key.createdAt.toISOString(), used, state].join('\t'));
  }
  if (keys.length === 0) console.error(`${userName} has no keys`);
}

export async function revokeKey(idOrPrefix: string): Promise<void> {
  const isRevoked = await withDatabase(({ apiKeys }) => apiKeys.revoke(idOrPrefix));
  if (!isRevoked) throw new Error(`there is no valid key ${idOrPrefix}`);
  console.error(`key ${idOrPrefix} revoked`);
}
