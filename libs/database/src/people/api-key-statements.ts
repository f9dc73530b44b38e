import { columnsOf } from '../kit/columns-of';
import { KEPT_HOURS } from '../kit/once';
import {
  boolean,
  command,
  type ColumnsOf,
  double,
  integer,
  json,
  selectList,
  statement,
  text,
} from '../kit/statement';
import { ApiKeyRow } from '../rows/api-key';

/** What a key permits, and until when. */
export type KeyLimits = Pick<ApiKeyRow, 'scope' | 'expiresAt'>;

/** A key at its creation: the only time that the secret can be read. */
export interface NewApiKey extends Pick<ApiKeyRow, 'name' | 'prefix' | 'createdAt' | 'scope' | 'expiresAt'> {
  id: number;
  key: string;
}

/** The fields of a key that may be shown. */
export interface ApiKey extends Omit<NewApiKey, 'key'>, Pick<ApiKeyRow, 'lastUsedAt' | 'revokedAt'> {}

/** A valid key of some user. */
export interface OwnedApiKey extends Omit<ApiKey, 'revokedAt'> {
  userName: string;
}

export const FIND = statement(
  {
    userId: integer,
    userName: text,
    isAdmin: boolean,
    ...columnsOf(ApiKeyRow, 'keyId', 'scope', 'expiresAt'),
    validMs: double.orNull,
    isDisabled: boolean,
    isImported: boolean,
    useIsNoted: boolean,
  },
  `
  select u.user_id as "userId", u.name as "userName", u.is_admin as "isAdmin", k.key_id as "keyId",
    k.scope, k.expires_at as "expiresAt",
    extract(epoch from k.expires_at - now())::double precision * 1000 as "validMs",
    u.disabled_at is not null as "isDisabled", k.key_hash <> $1 as "isImported",
    coalesce(k.last_used_at > now() - make_interval(secs => $2), false) as "useIsNoted"
  from api_keys k join users u using (user_id)
  where k.key_hash in ($1, $3) and k.revoked_at is null`,
).asPrepared;

/** Locks the user, so that two equal requests are handled one after the other. */
export const LOCK_USER = statement(
  { userId: integer },
  'select user_id as "userId" from users where name = $1 and removed_at is null for no key update',
);

export const EARLIER = statement(
  { fingerprint: text, sealed: json.as<string>().orNull },
  `
  select i.fingerprint, i.answer as sealed
  from idempotency_keys i join api_keys k using (key_id)
  where k.user_id = $1 and i.key = $2 and i.created_at >= now() - interval '${KEPT_HOURS} hours'`,
);

export const REVOKE = statement(
  { id: integer, name: text, prefix: text, userName: text },
  `
  update api_keys k set revoked_at = now() from users u
  where (key_id::text = $1 or prefix = $1) and revoked_at is null and not is_of_pages
    and u.user_id = k.user_id and ($2::text is null or u.name = $2)
  returning k.key_id as id, k.name, k.prefix, u.name as "userName"`,
);

const NEW_COLUMNS = {
  id: integer.from('k.key_id'),
  ...columnsOf(ApiKeyRow, 'name', 'prefix', 'createdAt', 'scope', 'expiresAt'),
} satisfies ColumnsOf<Omit<NewApiKey, 'key'>>;

export const ROTATE = statement(
  NEW_COLUMNS,
  `
  update api_keys k set prefix = $3, key_hash = $4, last_used_at = null from users u
  where k.key_id = $1 and k.revoked_at is null and not k.is_of_pages and u.user_id = k.user_id and u.name = $2
  returning ${selectList(NEW_COLUMNS, 'k')}`,
);

/** Changes the scope if $4 is true, and the expiry if $6 is true. */
export const LIMIT = statement(
  { id: integer, name: text },
  `
  update api_keys k set scope = case when $4 then $3 else k.scope end,
    expires_at = case when $6 then $5::timestamptz else k.expires_at end
  from users u
  where k.key_id = $1 and k.revoked_at is null and not k.is_of_pages and u.user_id = k.user_id and u.name = $2
  returning k.key_id as id, k.name`,
);

const OWNED_COLUMNS = {
  ...NEW_COLUMNS,
  ...columnsOf(ApiKeyRow, 'lastUsedAt'),
  userName: text.from('u.name'),
} satisfies ColumnsOf<OwnedApiKey>;

export const LIST_ALL = statement(
  OWNED_COLUMNS,
  `select ${selectList(OWNED_COLUMNS, 'k')} from api_keys k join users u using (user_id)
  where k.revoked_at is null and not k.is_of_pages and ($2::integer is null or k.key_id < $2)
    and (u.name like $1 or k.name like $1 or k.prefix like $1)
  order by k.key_id desc limit $3`,
);

export const NOTE_USE = command(`
  update api_keys set last_used_at = now()
  where key_id = $1 and coalesce(last_used_at <= now() - make_interval(secs => $2), true)`).asPrepared;

/**
 * An imported key has a digest that is fast to compute. At its first use it gets the digest of all other
 * keys, unless it was rotated since it was found by the digest $3.
 */
export const REHASH = command(
  'update api_keys set key_hash = $2 where key_id = $1 and key_hash = $3',
).asPrepared;

export const OF_PAGES = statement(
  { keyId: integer },
  'select key_id as "keyId" from api_keys where user_id = $1 and is_of_pages',
).asPrepared;

export const ADD_OF_PAGES = command(`
  insert into api_keys (user_id, name, prefix, key_hash, is_of_pages) values ($1, 'web pages', $2, $3, true)
  on conflict (user_id) where is_of_pages do nothing`);
