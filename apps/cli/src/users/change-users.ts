import type { UserResource } from '@proctor/resources';
import {
  type AskOptions,
  confirm,
  confirmOnTerminal,
  readNewPassword,
  passwordFromStdin,
} from '../output/ask';
import { type OutputOptions, printJson, printTable, printNotice } from '../output/print';
import { hasOwnDatabase, isOwnMachine, type ServiceOptions } from '../service/address';
import { Service } from '../service/service';

const ownAdministration = () => import('../machine/own-administration');

/**
 * Creates a user. The first administrator is created in the database, since no key exists yet. @throws Failure if the
 * user exists
 */
export async function addUser(
  name: string,
  options: ServiceOptions & { admin: boolean; passwordStdin: boolean },
): Promise<object> {
  const { admin } = options;
  const password = options.passwordStdin ? await passwordFromStdin() : undefined;
  const fields = { name, admin, ...(password !== undefined && { password }) };
  const isFirst =
    admin &&
    (await hasOwnDatabase(options)) &&
    (await (await ownAdministration()).addFirstAdministrator(fields));
  const added = isFirst
    ? { user: name, admin }
    : await (await Service.find(options)).post<object>('/admin/users', fields);
  printNotice(`user ${name} added`);
  return added;
}

/** @throws Failure if the user does not exist, or there is no terminal */
export async function changePassword(
  name: string,
  options: ServiceOptions & { passwordStdin: boolean },
): Promise<object> {
  const promptPassword = (): Promise<string> =>
    options.passwordStdin ? passwordFromStdin() : readNewPassword(name);
  const answer = await setPassword(name, promptPassword, options);
  printNotice(`password of ${name} set`);
  return answer;
}

/** On this machine this needs no key, so that an administrator who lost both password and key can log in again. */
async function setPassword(
  name: string,
  promptPassword: () => Promise<string>,
  options: ServiceOptions,
): Promise<object> {
  if (await isOwnMachine(options)) {
    await (await ownAdministration()).setPassword(name, promptPassword);
    return { user: name, password: null };
  }
  return (await Service.find(options)).post(pathOf(name, 'password'), { password: await promptPassword() });
}

/** @throws Failure if the user already has this role, or is the last administrator */
export async function appointUser(
  name: string,
  options: ServiceOptions & { dismiss: boolean },
): Promise<object> {
  const admin = !options.dismiss;
  const isFirst =
    admin &&
    (await hasOwnDatabase(options)) &&
    (await (await ownAdministration()).appointFirstAdministrator(name));
  const appointed = isFirst
    ? { user: name, admin }
    : await (await Service.find(options)).post<object>(pathOf(name, 'administrator'), { admin });
  printNotice(`user ${name} is ${admin ? 'an administrator' : 'no longer an administrator'}`);
  return appointed;
}

export async function listUsers(options: ServiceOptions & OutputOptions): Promise<void> {
  const service = await Service.find(options);
  const users: UserResource[] = [];
  for (let after: string | null | undefined; after !== null;) {
    const part: { users: UserResource[]; after: string | null } = await service.request('/admin/users', {
      after,
    });
    users.push(...part.users);
    after = part.after;
  }
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

/** @throws Failure if the user is disabled already, or is the last administrator */
export async function disableUser(name: string, options: ServiceOptions & AskOptions): Promise<object> {
  const service = await Service.find(options);
  await confirmOnTerminal(`user ${name} is kept out, and sessions and keys end`, options);
  const disabled = await service.post<object>(pathOf(name, 'disable'));
  printNotice(`user ${name} is disabled; runs stay, and \`proctor user enable ${name}\` reverses this`);
  return disabled;
}

/** @throws Failure if the user does not exist */
export async function enableUser(name: string, options: ServiceOptions): Promise<object> {
  const enabled = await (await Service.find(options)).post<object>(pathOf(name, 'enable'));
  printNotice(`user ${name} is enabled again`);
  return enabled;
}

/** Removes a user, after a question. @throws Failure if the user is the last administrator */
export async function removeUser(name: string, options: ServiceOptions & AskOptions): Promise<object> {
  const service = await Service.find(options);
  await confirm(`user ${name} loses password, keys and sessions for good`, options);
  const removed = await service.post<object>(pathOf(name, 'remove'));
  printNotice(`user ${name} is removed; runs stay, and no other user gets the name`);
  return removed;
}

function pathOf(name: string, change: string): string {
  return `/admin/users/${encodeURIComponent(name)}/${change}`;
}
