import { Injectable } from '@nestjs/common';
import { ApiKeys, UnknownUser, Users } from '@proctor/database';
import type { ApiKey, OwnedApiKey, UserRecord } from '@proctor/database';
import type { KeysQuery, UsersQuery } from './users.dto';
import { loadPart, type ListedPart } from '../http/parts';

const ROWS_PER_PAGE = 50;

/** Users and keys in parts, for administrators. */
@Injectable()
export class UserLists {
  constructor(
    private readonly store: Users,
    private readonly apiKeys: ApiKeys,
  ) {}

  /** Users sorted by name. */
  users({ search = '', after = '' }: UsersQuery): Promise<ListedPart<UserRecord, string>> {
    const read = (limit: number): Promise<UserRecord[]> => this.store.list(search, limit, after);
    return loadPart(ROWS_PER_PAGE, read, ({ name }) => name);
  }

  /** Valid keys, the newest first. */
  keys({ search = '', before }: KeysQuery): Promise<ListedPart<OwnedApiKey, number>> {
    const read = (limit: number): Promise<OwnedApiKey[]> =>
      this.apiKeys.listAll(search, limit, before ?? null);
    return loadPart(ROWS_PER_PAGE, read, ({ id }) => id);
  }

  /** @throws UnknownUser if no user has the name */
  async user(name: string): Promise<{ user: UserRecord; /** Valid ones. */ keys: ApiKey[] }> {
    const user = await this.store.record(name);
    if (!user) throw new UnknownUser(name);
    const keys = await this.apiKeys.list(name);
    return { user, keys: keys.filter((key) => key.revokedAt === null) };
  }
}
