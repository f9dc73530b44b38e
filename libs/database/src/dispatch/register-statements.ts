import { columnsOf } from '../kit/columns-of';
import {
  bigint,
  boolean,
  type ColumnsOf,
  command,
  propertiesOf,
  selectList,
  statement,
  type Statement,
  text,
  texts,
} from '../kit/statement';
import { WorkerRow } from '../rows/worker';

/** The fields of a worker that an administrator sets. */
export type WorkerRegistration = Pick<WorkerRow, 'name' | 'publicKey' | 'architectures' | 'mayRunPrivate'>;

export type WorkerRecord = WorkerRow;

/** A worker whose messages a dispatcher has handled. */
export interface SeenWorker {
  worker: string;
  /** The IP address; null if unknown, which leaves the earlier one. */
  from: string | null;
}

/** Messages of a worker that dispatchers refused. */
export interface WorkerRefusals {
  worker: string;
  count: number;
  /** Why the last message was refused, for people. */
  reason: string;
}

const RECORD_COLUMNS = columnsOf(WorkerRow);

const SEEN_COLUMNS = { worker: text, from: text.orNull } satisfies ColumnsOf<SeenWorker>;

const REFUSED_COLUMNS = { worker: text, count: bigint, reason: text } satisfies ColumnsOf<WorkerRefusals>;

function selectWorkers(rest: string): Statement<WorkerRecord> {
  return statement(RECORD_COLUMNS, `select ${selectList(RECORD_COLUMNS, 'w')} from workers w ${rest}`);
}

export const LIST = selectWorkers('order by name');

export const VALID = selectWorkers('where revoked_at is null order by name');

export const FIND = selectWorkers('where name = $1');

const INSERT = `
  insert into workers as w (name, public_key, architectures, may_run_private, created_at)
  values ($1, $2, $3, $4, clock_timestamp())
  on conflict (name) do update set public_key = excluded.public_key, architectures = excluded.architectures,
    may_run_private = excluded.may_run_private`;

/** Adds a worker. A revoked worker with this name starts again, without its history. */
export const ADD = statement(
  { name: text },
  `${INSERT}, created_at = excluded.created_at, revoked_at = null, last_seen_at = null,
    last_seen_from = null, refusals = 0, last_refusal = null, last_refused_at = null
  where w.revoked_at is not null
  returning name`,
);

export const PUT = command(`${INSERT} where w.revoked_at is null`);

const CHANGED_COLUMNS = { architectures: texts };

export const ROTATE = statement(
  CHANGED_COLUMNS,
  'update workers set public_key = $2 where name = $1 and revoked_at is null returning architectures',
);

export const REVOKE = statement(
  CHANGED_COLUMNS,
  'update workers set revoked_at = clock_timestamp() where name = $1 and revoked_at is null returning architectures',
);

/** Whether each live dispatcher has handled the revocations of the worker $1. */
export const REVOCATION_INGESTED = statement(
  { isIngested: boolean },
  `
  select not exists (
    select from orders o join dispatchers d on d.arch = o.arch
    where not o.taken_in and o.kind = 'revoke' and o.worker = $1
      and d.owner is not null and d.expires_at > clock_timestamp()
  ) as "isIngested"`,
);

/**
 * $1 is the JSON array of SeenWorkers. Rows are locked by name, as in all statements that change several rows, so
 * that statements cannot deadlock.
 */
export const SEEN = command(`
  update workers w
  set last_seen_at = statement_timestamp(), last_seen_from = coalesce(seen.address, w.last_seen_from)
  from (
    select name, report."from" as address
    from workers join jsonb_to_recordset($1::jsonb) as report(${propertiesOf(SEEN_COLUMNS)}) on name = worker
    where last_seen_at is null or last_seen_at <= statement_timestamp() - interval '1 minute'
    order by name for no key update of workers
  ) seen where w.name = seen.name`);

/** $1 is the JSON array of WorkerRefusals, one for each worker. */
export const REFUSED = command(`
  update workers w set refusals = w.refusals + refused.count, last_refusal = refused.reason,
    last_refused_at = statement_timestamp()
  from (
    select name, count, reason
    from workers join jsonb_to_recordset($1::jsonb) as report(${propertiesOf(REFUSED_COLUMNS)}) on name = worker
    order by name for no key update of workers
  ) refused where w.name = refused.name`);
