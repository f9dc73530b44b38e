import { Injectable } from '@nestjs/common';
import { ApiKeys, UnknownUser, Users } from '@proctor/database';
import type { ApiKey, OwnedApiKey, UserRecord } from '@proctor/database';
import type { KeysQuery, UsersQuery } from './users.dto';

const ROWS_PER_PAGE = 50;

/** Users and keys in parts, for administrators. */
@Injectable()
export class UserLists {
  constructor(
    private readonly store: Users,
    private readonly apiKeys: ApiKeys,
  ) {}

  /** By name. */
  async users({ search = '', after = '' }: UsersQuery): Promise<{
    users: UserRecord[];
    /** The last one, when there are more. */ last: string | null;
  }> {
    const found = await this.store.list(search, ROWS_PER_PAGE + 1, after);
    const users = found.slice(0, ROWS_PER_PAGE);
    return { users, last: found.length > ROWS_PER_PAGE ? users.at(-1)!.name : null };
  }

  /** Valid ones, the newest first. */
  async keys({
    search = '',
    before = null,
  }: Omit<KeysQuery, 'before'> & { before?: number | null }): Promise<{
    keys: OwnedApiKey[];
    /** The last one, when there are more. */
    last: number | null;
  }> {
    const found = await this.apiKeys.listAll(search, ROWS_PER_PAGE + 1, before);
    const keys = found.slice(0, ROWS_PER_PAGE);
    return { keys, last: found.length > ROWS_PER_PAGE ? keys.at(-1)!.id : null };
  }

  /** @throws UnknownUser */
  async user(name: string): Promise<{ user: UserRecord; /** Valid ones. */ keys: ApiKey[] }> {
    const user = await this.store.record(name);
    if (!user) throw new UnknownUser(name);
    const keys = await this.apiKeys.list(name);
    return { user, keys: keys.filter((key) => key.revokedAt === null) };
  }
}
