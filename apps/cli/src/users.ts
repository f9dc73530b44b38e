import { UnknownUser } from '@proctor/database';
import { withDatabase } from './home-database';
import { askPassword, passwordFromStdin } from './password';

/** @throws UserExists, InvalidUserName */
export async function addUser(
  name: string,
  options: { admin: boolean; passwordStdin: boolean },
): Promise<void> {
  const password = options.passwordStdin ? await passwordFromStdin() : undefined;
  await withDatabase(async ({ users }) => {
    await users.add(name, { isAdmin: options.admin, ...(password !== undefined && { password }) });
  });
  console.error(`user ${name} added`);
}

/** @throws UnknownUser; or when there is no terminal to ask on */
export async function changePassword(name: string, options: { passwordStdin: boolean }): Promise<void> {
  await withDatabase(async ({ users }) => {
    if (!(await users.find(name))) throw new UnknownUser(name);
    await users.setPassword(
      name,
      options.passwordStdin ? await passwordFromStdin() : await askPassword(name),
    );
  });
  console.error(`password of ${name} set`);
}
