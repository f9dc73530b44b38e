import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../kit/database';
import { likeOf } from '../kit/list-filter';
import { boolean, command, integer, statement, text } from '../kit/statement';

const TOKEN_BYTES = 32;

/** The packages that users follow: names with `*` for any characters. */
@Injectable()
export class FollowedPackages {
  constructor(private readonly database: Database) {}

  /** The patterns of a user, by name. */
  async patterns(userId: number): Promise<string[]> {
    return (await this.database.query(PATTERNS, [userId])).map(({ pattern }) => pattern);
  }

  /**
   * Follows all of the patterns, or none when there would be too many.
   * @returns whether they are followed now
   */
  async follow(userId: number, patterns: string[], most: number): Promise<boolean> {
    const [row] = await this.database.query(FOLLOW, [userId, patterns, most]);
    return row!.isDone;
  }

  /** @returns false if the user did not follow it */
  async unfollow(userId: number, pattern: string): Promise<boolean> {
    return (await this.database.query(UNFOLLOW, [userId, pattern])).length > 0;
  }

  /** Packages of public runs that match the patterns; those that fail in some place come first, then by name. */
  async listMatching(patterns: string[], limit: number): Promise<string[]> {
    if (patterns.length === 0) return [];
    const wild = patterns.filter((pattern) => pattern.includes('*'));
    const plain = patterns.filter((pattern) => !pattern.includes('*'));
    return (await this.database.query(NAMED, [plain, wild.map(likeOf), limit])).map(({ name }) => name);
  }

  /** The secret part of the address of a user's feed; null if the user has none. */
  async feedToken(userId: number): Promise<string | null> {
    const [row] = await this.database.query(TOKEN, [userId]);
    return row?.token ?? null;
  }

  /** Replaces the address of a user's feed. The earlier address stops working. */
  async renewFeed(userId: number): Promise<void> {
    await this.database.query(RENEW, [userId, randomBytes(TOKEN_BYTES).toString('base64url')]);
  }

  async endFeed(userId: number): Promise<void> {
    await this.database.query(END, [userId]);
  }

  /** The id of the user whose feed has this token; null if there is none. */
  async ownerOf(token: string): Promise<number | null> {
    const [row] = await this.database.query(OWNER, [token]);
    return row?.userId ?? null;
  }
}

const PATTERNS = statement(
  { pattern: text },
  'select pattern from followed_packages where user_id = $1 order by pattern',
);

const FOLLOW = statement(
  { isDone: boolean },
  `
  with wanted as (
    select pattern from followed_packages where user_id = $1
    union select unnest($2::text[])
  ),
  fitting as (select count(*) <= $3 as "isDone" from wanted),
  inserted as (
    insert into followed_packages (user_id, pattern)
    select $1, pattern from unnest($2::text[]) as added(pattern), fitting where "isDone"
    on conflict do nothing
  )
  select "isDone" from fitting`,
);

const UNFOLLOW = statement(
  { pattern: text },
  'delete from followed_packages where user_id = $1 and pattern = $2 returning pattern',
);

const NAMED = statement(
  { name: text },
  `
  select p.name from packages p
  where p.is_public and (p.name = any($1::text[]) or p.name like any($2::text[]))
  order by exists (
    select from package_statuses s where s.package = p.name and s.failing_run_id is not null
  ) desc, p.name
  limit $3`,
);

const TOKEN = statement({ token: text }, 'select token from feed_addresses where user_id = $1');

const RENEW = command(`
  insert into feed_addresses (user_id, token) values ($1, $2)
  on conflict (user_id) do update set token = excluded.token`);

const END = command('delete from feed_addresses where user_id = $1');

const OWNER = statement(
  { userId: integer },
  `select user_id as "userId" from feed_addresses join users using (user_id)
  where token = $1 and disabled_at is null`,
);
