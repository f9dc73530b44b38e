import type { Statements } from '../kit/database';
import { bigint, statement } from '../kit/statement';

/** Entries that one network may add in an hour; each is about one name and one way to log in. */
export const REFUSED_LOGINS_OF_NETWORK_MAX = 20;
/** The number of entries that all addresses together may add in an hour. */
export const REFUSED_LOGINS_PER_HOUR_MAX = 1_000;
/** Entries that are kept; the oldest are removed. */
export const REFUSED_LOGINS_MAX = 100_000;

/** The name in an entry that counts the logins without an entry of their own; no user's name has a space. */
const OTHER_NAMES = 'other names';

export interface RefusedLogin {
  /** The name as it was typed. */
  userName: string;
  /** The way to log in: `password`, or a login provider. */
  by: string;
  address: string;
}

/**
 * Records a refused login. Strangers cause these entries, so their number is limited: a repeated login within an hour
 * is counted in the existing entry, and beyond the limits one entry counts all others. Simultaneous logins may add a
 * few more.
 */
export async function addRefusedLogin(
  statements: Statements,
  { userName, by, address }: RefusedLogin,
): Promise<void> {
  const limits = [REFUSED_LOGINS_OF_NETWORK_MAX, REFUSED_LOGINS_PER_HOUR_MAX];
  const added = await statements.query(ADD_OR_COUNT, [userName, by, address, ...limits, OTHER_NAMES]);
  if (added.length > 0) await statements.query(REMOVE_OLDEST, [REFUSED_LOGINS_MAX]);
}

/** An hour has few entries, and the index of actions has them together. */
const ADD_OR_COUNT = statement(
  { entryId: bigint },
  `
  with recent as materialized (
    select entry_id, user_name, subject, address from audit_entries
    where action = 'login-refused' and created_at > clock_timestamp() - interval '1 hour'
  ),
  counts as (
    select count(*) as of_all, count(*) filter (where address = $3) as of_network,
      coalesce(bool_or(user_name = $1 and subject = $2 and address = $3), false) as is_there
    from recent
  ),
  entry as (
    select
      case when is_there or of_network < $4 and of_all < $5 then $1 else $6 end as user_name,
      case when is_there or of_all < $5 then $3 end as address
    from counts
  ),
  counted as (
    update audit_entries a set detail = coalesce(substring(a.detail from '^[0-9]+')::bigint, 1) + 1 || ' times'
    where entry_id = (
      select max(entry_id) from recent join entry using (user_name)
      where subject = $2 and recent.address is not distinct from entry.address
    )
    returning entry_id
  )
  insert into audit_entries (action, user_name, subject, address, created_at)
  select 'login-refused', user_name, $2, address, clock_timestamp() from entry where not exists (select from counted)
  returning entry_id as "entryId"`,
);

const REMOVE_OLDEST = statement(
  { entryId: bigint },
  `
  delete from audit_entries where entry_id in (
    select entry_id from audit_entries where action = 'login-refused'
    order by created_at desc, entry_id desc offset $1
  ) returning entry_id as "entryId"`,
);
