import { administration } from '../administration/administration';
import { type AskOptions, confirm, confirmOnTerminal } from '../output/ask';
import { type OutputOptions, printJson, printTable, say } from '../output/print';
import type { ServiceOptions } from '../service/address';
import { askPassword, passwordFromStdin } from './password';

/** @throws also when there is such a user */
export async function addUser(
  name: string,
  options: ServiceOptions & { admin: boolean; passwordStdin: boolean },
): Promise<object> {
  const password = options.passwordStdin ? await passwordFromStdin() : undefined;
  const fields = { name, admin: options.admin, ...(password !== undefined && { password }) };
  const added = await (await administration(options)).addUser(fields);
  say(`user ${name} added`);
  return added;
}

/** @throws also when there is no such user, or no terminal to ask on */
export async function changePassword(
  name: string,
  options: ServiceOptions & { passwordStdin: boolean },
): Promise<object> {
  const to = await administration(options);
  const type = (): Promise<string> => (options.passwordStdin ? passwordFromStdin() : askPassword(name));
  const set = await to.setPassword(name, type);
  say(`password of ${name} set`);
  return set;
}

/** @throws also when the user is that already, and for the last administrator */
export async function appointUser(
  name: string,
  options: ServiceOptions & { dismiss: boolean },
): Promise<object> {
  const appointed = await (await administration(options)).setAdministrator(name, !options.dismiss);
  say(`user ${name} is ${options.dismiss ? 'no administrator any more' : 'an administrator'}`);
  return appointed;
}

export async function listUsers(options: ServiceOptions & OutputOptions): Promise<void> {
  const users = await (await administration(options)).users();
  if (options.json) return printJson({ users, after: null });
  printTable(
    users,
    [
      { head: 'NAME', of: (user) => user.name },
      { head: 'ADMIN', of: (user) => (user.admin ? 'yes' : 'no') },
      { head: 'STANDING', of: (user) => user.standing },
      { head: 'PASSWORD', of: (user) => (user.has_password ? 'yes' : 'no') },
      { head: 'KEYS', of: (user) => user.keys },
      { head: 'LOGGED IN', of: (user) => user.sessions },
      { head: 'ADDED', of: (user) => new Date(user.created_at) },
    ],
    'there are no users; add one: proctor user add NAME',
  );
}

/** @throws also when the user is that already, and for the last administrator */
export async function disableUser(name: string, options: ServiceOptions & AskOptions): Promise<object> {
  const to = await administration(options);
  await confirmOnTerminal(`user ${name} is kept out, and sessions and keys end`, options);
  const disabled = await to.changeUser(name, 'disable');
  say(`user ${name} is disabled; runs stay, and \`proctor user enable ${name}\` takes it back`);
  return disabled;
}

/** @throws also when there is no such user */
export async function enableUser(name: string, options: ServiceOptions): Promise<object> {
  const enabled = await (await administration(options)).changeUser(name, 'enable');
  say(`user ${name} may come in again`);
  return enabled;
}

/** Asks first. @throws also for the last administrator */
export async function removeUser(name: string, options: ServiceOptions & AskOptions): Promise<object> {
  const to = await administration(options);
  await confirm(`user ${name} loses password, keys and sessions for good`, options);
  const removed = await to.changeUser(name, 'remove');
  say(`user ${name} is removed; runs stay, and nobody else gets the name`);
  return removed;
}
