import { columnsOf } from '../kit/columns-of';
import {
  bigint,
  boolean,
  type ColumnsOf,
  command,
  integer,
  selectList,
  statement,
  text,
} from '../kit/statement';
import { UserRow } from '../rows';

export type User = Pick<UserRow, 'userId' | 'name' | 'isAdmin'>;

/** Whether a user may log in. A removed user has no password and no keys; their runs stay. */
export type UserStanding = 'active' | 'disabled' | 'removed';

/** A user as administrators see it. */
export interface UserRecord extends User {
  standing: UserStanding;
  hasPassword: boolean;
  createdAt: Date;
  /** Valid API keys. */
  keys: number;
  /** Browsers in which the user is logged in. */
  sessions: number;
}

export const USER_COLUMNS = columnsOf(UserRow, 'userId', 'name', 'isAdmin');
const AS_USER = selectList(USER_COLUMNS, 'u');

export const BY_ID = statement(
  USER_COLUMNS,
  `select ${AS_USER} from users u
  where u.user_id = $1 and u.disabled_at is null`,
).asPrepared;

export const BY_NAME = statement(
  USER_COLUMNS,
  `select ${AS_USER} from users u
  where u.name = $1 and u.removed_at is null`,
);

export const LOCK_ADMINISTRATORS = statement(
  { userId: integer },
  'select user_id as "userId" from users where is_admin and disabled_at is null order by user_id for update',
);

export const SET_ADMINISTRATOR = command('update users set is_admin = $2 where user_id = $1');

/** The SQL of the standing of the user `u`. */
const STANDING_OF = `case when u.removed_at is not null then 'removed' when u.disabled_at is not null then 'disabled'
  else 'active' end`;

export const STANDING = statement(
  { userId: integer, standing: text.as<UserStanding>() },
  `select u.user_id as "userId", ${STANDING_OF} as standing from users u where u.name = $1 for update`,
);

export const DISABLE = command('update users set disabled_at = now() where user_id = $1');
export const ENABLE = command('update users set disabled_at = null, removed_at = null where user_id = $1');

export const REMOVE = [
  command(`update users set disabled_at = now(), removed_at = now(), password_hash = null, is_admin = false
    where user_id = $1`),
  command('delete from follows where user_id = $1'),
  command('delete from feed_addresses where user_id = $1'),
  command('delete from mail_addresses where user_id = $1'),
  command('delete from webhooks where user_id = $1'),
];

export const REVOKE_ALL = statement(
  { keyId: integer },
  `update api_keys set revoked_at = now() where user_id = $1 and revoked_at is null and not is_of_pages
  returning key_id as "keyId"`,
);

const RECORD_COLUMNS = {
  ...USER_COLUMNS,
  standing: text.as<UserStanding>().from(STANDING_OF),
  hasPassword: boolean.from('u.password_hash is not null'),
  ...columnsOf(UserRow, 'createdAt'),
  keys: bigint.from(
    '(select count(*) from api_keys k where k.user_id = u.user_id and k.revoked_at is null and not k.is_of_pages)',
  ),
  sessions: bigint.from(
    `(select count(*) from sessions s where s.sess ->> 'userId' = u.user_id::text and s.expire > now())`,
  ),
} satisfies ColumnsOf<UserRecord>;

export const LIST = statement(
  RECORD_COLUMNS,
  `select ${selectList(RECORD_COLUMNS, 'u')} from users u
  where u.name like $1 and u.name > $2 order by u.name limit $3`,
);

export const RECORD = statement(
  RECORD_COLUMNS,
  `select ${selectList(RECORD_COLUMNS, 'u')} from users u where u.name = $1`,
);

export const SET_PASSWORD = statement(
  { userId: integer },
  'update users set password_hash = $2 where name = $1 and removed_at is null returning user_id as "userId"',
);
