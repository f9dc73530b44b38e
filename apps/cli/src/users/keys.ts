import type { KeyWithSecret, OwnedKeyResource } from '@proctor/resources';
import type { KeyScope } from '@proctor/contracts';
import { Failure } from '../failure';
import { type AskOptions, confirmOnTerminal, readHidden } from '../output/ask';
import { type OutputOptions, printJson, printTable, printNotice, write } from '../output/print';
import { isOwnMachine, type ServiceOptions } from '../service/address';
import { Service } from '../service/service';

const ownAdministration = () => import('../machine/own-administration');

interface NewKeyOptions extends ServiceOptions, OutputOptions {
  name: string;
  scope: KeyScope;
  expires?: string;
}

/**
 * Creates a key and prints only the key on standard output, so that a script can save it. A service creates keys only
 * for the user who asks, and requires the password; on this machine none is needed.
 * @throws Failure if the user does not exist
 */
export async function createKey(
  userName: string,
  { name, scope, expires, ...options }: NewKeyOptions,
): Promise<object> {
  const fields = { name, scope, ...(expires !== undefined && { expires_at: expires }) };
  const created = (await isOwnMachine(options))
    ? await (await ownAdministration()).createKey(userName, fields)
    : await postAsUser(userName, '/keys', fields, options);
  if (!options.json) write(`${created.key}\n`);
  printNotice(`key ${created.id} of ${userName} created; it is shown only this once`);
  return created;
}

/**
 * Replaces the secret of a key and prints only the new one. Runs, name and limits of the key stay. @throws Failure if
 * the user has no such key
 */
export async function rotateKey(
  userName: string,
  id: number,
  options: ServiceOptions & OutputOptions,
): Promise<object> {
  const rotated = (await isOwnMachine(options))
    ? await (await ownAdministration()).rotateKey(userName, id)
    : await postAsUser(userName, `/keys/${id}/rotate`, {}, options);
  if (!options.json) write(`${rotated.key}\n`);
  printNotice(
    `key ${id} of ${userName} has a new secret; it is shown only this once, and the old one is no longer valid`,
  );
  return rotated;
}

async function postAsUser(
  userName: string,
  path: string,
  body: object,
  options: ServiceOptions,
): Promise<KeyWithSecret> {
  const service = await Service.find(options);
  const password = await readHidden(`Password of ${userName} (a key is made by its user): `);
  const basic = Buffer.from(`${userName}:${password}`).toString('base64');
  return service.post(path, body, { headers: { Authorization: `Basic ${basic}` } });
}

/** @throws Failure if the user does not exist */
export async function listKeys(userName: string, options: ServiceOptions & OutputOptions): Promise<void> {
  const matches = await findKeys(await Service.find(options), userName);
  const keys = matches.filter(({ user }) => user === userName);
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
    `${userName} has no valid keys; create one: proctor key create ${userName} --name TEXT`,
  );
}

/** @throws Failure if there is no such key, or it is revoked already */
export async function revokeKey(idOrPrefix: string, options: ServiceOptions & AskOptions): Promise<object> {
  const service = await Service.find(options);
  await confirmOnTerminal(`key ${idOrPrefix} no longer opens anything, for good`, options);
  const isId = /^[1-9]\d{0,9}$/.test(idOrPrefix);
  const id = isId
    ? idOrPrefix
    : (await findKeys(service, idOrPrefix)).find(({ prefix }) => prefix === idOrPrefix)?.id;
  if (id === undefined) throw new Failure(`there is no valid key ${idOrPrefix}`);
  const revoked = await service.post<object>(`/admin/keys/${id}/revoke`);
  printNotice(`key ${idOrPrefix} revoked`);
  return revoked;
}

/** @param search a part of the name of the user or of the key, or the beginning of the key */
async function findKeys(service: Service, search: string): Promise<OwnedKeyResource[]> {
  const keys: OwnedKeyResource[] = [];
  for (let before: number | null | undefined; before !== null;) {
    const part: { keys: OwnedKeyResource[]; before: number | null } = await service.request('/admin/keys', {
      search,
      before,
    });
    keys.push(...part.keys);
    before = part.before;
  }
  return keys;
}
