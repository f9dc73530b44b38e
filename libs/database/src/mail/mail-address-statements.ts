import type { MailPeriod } from '@proctor/contracts';
import { columnsOf } from '../kit/columns-of';
import {
  bigint,
  boolean,
  command,
  double,
  integer,
  selectList,
  statement,
  text,
  time,
} from '../kit/statement';
import { MailAddressRow } from '../rows/mail';

/** A mail that one process may send, for a limited time. */
export interface DueMail {
  userId: number;
  userName: string;
  isAdmin: boolean;
  address: string;
  period: MailPeriod;
  /** The secret part of the link that ends the mails. */
  token: string;
  /** Not null: the mail is the one that confirms the address. */
  confirmToken: string | null;
  mailedUntil: Date;
  failures: number;
}

/** Mails that wait because they could not be sent. */
export interface MailTrouble {
  waiting: number;
  since: Date | null;
  /** Why the last of them failed. */
  error: string | null;
}

const SETTINGS = columnsOf(
  MailAddressRow,
  'address',
  'period',
  'confirmedAt',
  'askedAt',
  'dueAt',
  'failingSince',
  'error',
);

export const FIND = statement(
  SETTINGS,
  `select ${selectList(SETTINGS, 'm')} from mail_addresses m where user_id = $1 and address <> ''`,
);

/** A new address starts like a new row: the links of mails to the old one end. */
export const ASK = statement(
  { userId: integer },
  `
  insert into mail_addresses as m
    (user_id, address, period, token, confirm_token, asked_at, mailed_until, due_at)
  values ($1, $2, $3, $4, $5, $6, $6, $6)
  on conflict (user_id) do update set
    address = excluded.address, period = excluded.period, token = excluded.token,
    confirm_token = excluded.confirm_token, confirmed_at = null, asked_at = excluded.asked_at,
    mailed_until = excluded.mailed_until, due_at = excluded.due_at, sender = null, sender_until = null,
    failures = 0, failing_since = null, error = null
  where m.asked_at <= excluded.asked_at - make_interval(mins => $7::integer)
  returning m.user_id as "userId"`,
);

export const SET_PERIOD = command(`
  update mail_addresses set period = $2, due_at = $3, mailed_until = case when period = 'none' then $4 else mailed_until end
  where user_id = $1 and confirmed_at is not null`);

export const REMOVE = command(`
  update mail_addresses set address = '', period = 'none', token = $2, confirm_token = null, confirmed_at = null,
    due_at = null, sender = null, sender_until = null, failures = 0, failing_since = null, error = null
  where user_id = $1`);

const IS_TO_CONFIRM = `m.confirm_token = $1 and m.asked_at > $2::timestamptz - make_interval(hours => $3::integer)
  and m.user_id = u.user_id and u.disabled_at is null`;

export const UNCONFIRMED = statement(
  { userName: text, address: text },
  `select u.name as "userName", m.address from mail_addresses m, users u where ${IS_TO_CONFIRM}`,
);

export const CONFIRM = statement(
  { userId: integer, period: text.as<MailPeriod>() },
  `
  update mail_addresses m set confirm_token = null, confirmed_at = $2, mailed_until = $2, due_at = null
  from users u where ${IS_TO_CONFIRM}
  returning m.user_id as "userId", m.period`,
);

export const OWNER = statement(
  { userName: text },
  `select u.name as "userName" from mail_addresses m join users u using (user_id) where m.token = $1 and m.address <> ''`,
);

export const UNSUBSCRIBE = statement(
  { userId: integer },
  `update mail_addresses set period = 'none', due_at = null where token = $1 and address <> ''
  returning user_id as "userId"`,
);

const DUE = {
  userId: integer,
  userName: text,
  isAdmin: boolean,
  address: text,
  period: text.as<MailPeriod>(),
  token: text,
  confirmToken: text.orNull,
  mailedUntil: time,
  failures: integer,
};

export const CLAIM = statement(
  DUE,
  `
  update mail_addresses m set sender = $1, sender_until = $3::timestamptz + make_interval(secs => $2::float8 / 1000)
  from users u
  where u.user_id = m.user_id and m.user_id = (
    select d.user_id from mail_addresses d join users o using (user_id)
    where d.due_at <= $3 and (d.sender_until is null or d.sender_until < $3) and o.disabled_at is null
    order by d.due_at limit 1 for no key update of d skip locked
  )
  returning m.user_id as "userId", u.name as "userName", u.is_admin as "isAdmin", m.address, m.period, m.token,
    m.confirm_token as "confirmToken", m.mailed_until as "mailedUntil", m.failures`,
);

export const NEXT_DUE = statement(
  { dueMs: double.orNull },
  `
  select (extract(epoch from min(greatest(d.due_at, d.sender_until)) - $1::timestamptz) * 1000)::float8 as "dueMs"
  from mail_addresses d join users o using (user_id) where d.due_at is not null and o.disabled_at is null`,
);

export const SENT = command(`
  update mail_addresses set mailed_until = $3, due_at = $4, sender = null, sender_until = null,
    failures = 0, failing_since = null, error = null
  where user_id = $1 and sender = $2`);

/** An address that has been refused for too long gets nothing: its user's page says why. */
export const FAILED = command(`
  update mail_addresses set failures = failures + 1, failing_since = coalesce(failing_since, $6), error = $3,
    due_at = case when $4 and failing_since < $6::timestamptz - make_interval(days => $7::integer) then null
      else $6::timestamptz + make_interval(secs => $5::float8 / 1000) end,
    period = case when $4 and failing_since < $6::timestamptz - make_interval(days => $7::integer) then 'none'
      else period end,
    sender = null, sender_until = null
  where user_id = $1 and sender = $2`);

export const TROUBLE = statement(
  { waiting: bigint, since: time.orNull, error: text.orNull },
  `
  select count(*) as waiting, min(failing_since) as since,
    (array_agg(error order by failing_since desc))[1] as error
  from mail_addresses where failures > 0 and due_at is not null`,
);
