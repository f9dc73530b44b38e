import { type Canceller, type OpenDatabase, UnknownUser } from '@proctor/database';
import { withDatabase } from '../home-database';

/**
 * Opens the database for `work` on behalf of an administrator.
 * @throws UnknownUser; or when the user is no administrator
 */
export function decide<T>(
  by: string,
  work: (database: OpenDatabase, decider: Canceller) => Promise<T>,
): Promise<T> {
  return withDatabase(async (database) => {
    const user = await database.users.find(by);
    if (!user) throw new UnknownUser(by);
    if (!user.isAdmin) throw new Error(`${by} is no administrator: name one with --by`);
    return work(database, { userId: user.userId, userName: user.name });
  });
}
