import { UnknownUser, Users } from '@proctor/database';
import { administer } from './administration';
import { askPassword, passwordFromStdin } from './password';

/** @throws UserExists, InvalidUserName */
export async function addUser(
  name: string,
  options: { admin: boolean; passwordStdin: boolean },
): Promise<void> {
  const password = options.passwordStdin ? await passwordFromStdin() : undefined;
  await administer((get) =>
    get(Users).add(name, { isAdmin: options.admin, ...(password !== undefined && { password }) }),
  );
  console.error(`user ${name} added`);
}

/** @throws UnknownUser; or when there is no terminal to ask on */
export async function changePassword(name: string, options: { passwordStdin: boolean }): Promise<void> {
  await administer(async (get) => {
    if (!(await get(Users).find(name))) throw new UnknownUser(name);
    await get(Users).setPassword(
      name,
      options.passwordStdin ? await passwordFromStdin() : await askPassword(name),
    );
  });
  console.error(`password of ${name} set`);
}
