import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FollowKind } from '@proctor/contracts';
import { Database } from '../kit/database';
import { likeOf } from '../kit/list-filter';
import { boolean, type ColumnsOf, command, integer, statement, text } from '../kit/statement';

const TOKEN_BYTES = 32;

/** One thing that a user follows. */
export interface Follow {
  kind: FollowKind;
  /** A name of a package with `*` for any characters, the number of a run, or a trigger. */
  name: string;
}

/** What users follow: packages, runs and triggers. */
@Injectable()
export class Follows {
  constructor(private readonly database: Database) {}

  /** All that a user follows, by kind and name. */
  list(userId: number): Promise<Follow[]> {
    return this.database.query(LIST, [userId]);
  }

  /**
   * Follows all of the names, or none when the user would follow too much.
   * @returns whether they are followed now
   */
  async follow(userId: number, kind: FollowKind, names: string[], most: number): Promise<boolean> {
    const [row] = await this.database.query(FOLLOW, [userId, kind, names, most]);
    return row!.isDone;
  }

  /** @returns false if the user did not follow it */
  async unfollow(userId: number, { kind, name }: Follow): Promise<boolean> {
    return (await this.database.query(UNFOLLOW, [userId, kind, name])).length > 0;
  }

  async isFollowed(userId: number, { kind, name }: Follow): Promise<boolean> {
    return (await this.database.query(IS_FOLLOWED, [userId, kind, name])).length > 0;
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

const FOLLOWED = { kind: text.as<FollowKind>(), name: text } satisfies ColumnsOf<Follow>;

const LIST = statement(
  FOLLOWED,
  `select kind, name from follows where user_id = $1
  order by kind, case when kind = 'run' then name::bigint end, name`,
);

const FOLLOW = statement(
  { isDone: boolean },
  `
  with wanted as (
    select kind, name from follows where user_id = $1
    union select $2, unnest($3::text[])
  ),
  fitting as (select count(*) <= $4 as "isDone" from wanted),
  inserted as (
    insert into follows (user_id, kind, name)
    select $1, $2, name from unnest($3::text[]) as added(name), fitting where "isDone"
    on conflict do nothing
  )
  select "isDone" from fitting`,
);

const IS_THIS = 'user_id = $1 and kind = $2 and name = $3';

const UNFOLLOW = statement(FOLLOWED, `delete from follows where ${IS_THIS} returning kind, name`);

const IS_FOLLOWED = statement(FOLLOWED, `select kind, name from follows where ${IS_THIS}`);

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
