/** Columns of a WorkerRecord. */
const COLUMNS = `
  name, public_key as "publicKey", architectures, may_run_private as "mayRunPrivate", created_at as "createdAt",
  revoked_at as "revokedAt", last_seen_at as "lastSeenAt", last_seen_from as "lastSeenFrom", refusals,
  last_refusal as "lastRefusal", last_refused_at as "lastRefusedAt"`;

const SELECT = `select ${COLUMNS} from workers`;

export const LIST = `${SELECT} order by name`;

export const VALID = `${SELECT} where revoked_at is null order by name`;

export const FIND = `${SELECT} where name = $1`;

const INSERT = `
  insert into workers as w (name, public_key, architectures, may_run_private, created_at)
  values ($1, $2, $3, $4, clock_timestamp())
  on conflict (name) do update set public_key = excluded.public_key, architectures = excluded.architectures,
    may_run_private = excluded.may_run_private`;

/** A worker that was revoked begins again, with no past. */
export const ADD = `${INSERT}, created_at = excluded.created_at, revoked_at = null, last_seen_at = null,
    last_seen_from = null, refusals = 0, last_refusal = null, last_refused_at = null
  where w.revoked_at is not null
  returning name`;

export const PUT = `${INSERT} where w.revoked_at is null`;

export const ROTATE = `
  update workers set public_key = $2 where name = $1 and revoked_at is null returning architectures`;

export const REVOKE = `
  update workers set revoked_at = clock_timestamp() where name = $1 and revoked_at is null returning architectures`;

/** $1 is the JSON array of SeenWorkers. Locked by name, as in all statements that change several rows: no two wait for each other in a circle. */
export const SEEN = `
  update workers w
  set last_seen_at = statement_timestamp(), last_seen_from = coalesce(seen.address, w.last_seen_from)
  from (
    select name, told."from" as address
    from workers join jsonb_to_recordset($1::jsonb) as told(worker text, "from" text) on name = worker
    where last_seen_at is null or last_seen_at <= statement_timestamp() - interval '1 minute'
    order by name for no key update of workers
  ) seen where w.name = seen.name`;

/** $1 is the JSON array of WorkerRefusals, each of another worker. */
export const REFUSED = `
  update workers w set refusals = w.refusals + refused.count, last_refusal = refused.reason,
    last_refused_at = statement_timestamp()
  from (
    select name, count, reason
    from workers join jsonb_to_recordset($1::jsonb) as told(worker text, count bigint, reason text) on name = worker
    order by name for no key update of workers
  ) refused where w.name = refused.name`;
