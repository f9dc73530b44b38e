import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from './database';
import { IdempotencyKeyRow } from '../rows';
import { command, integer, json, statement, text } from './statement';

/** A request that its client may send again without creating anything twice. */
export interface IdempotencyKey {
  /** The API key of the client: two clients may choose the same word. */
  keyId: number;
  /** The client's word for the request. */
  key: string;
  /** SHA-256 of what was asked, lower-case hex: method, path and parsed parameters. */
  fingerprint: string;
}

/** `replayed`: it was done before, this is the answer of then. `conflict`: the key was used for another request. */
export type Once =
  { kind: 'created'; answer: unknown } | { kind: 'replayed'; answer: unknown } | { kind: 'conflict' };

/** What the work found in its way: nothing is kept, the same request may succeed later. */
export class Refused<Outcome> {
  constructor(readonly outcome: Outcome) {}
}

/** An answer is kept this long. */
export const KEPT_HOURS = 24;
/** By then no client repeats the request. Each new row removes a few of such rows. */
const SWEPT_AFTER_HOURS = KEPT_HOURS + 1;
const SWEPT_MAX = 10;

/**
 * Does the work in one transaction with the row that says so, at most once for a key within 24 hours. The same request
 * sent meanwhile waits for the first, as long as a statement may take.
 * @param work resolves with the answer, which must be JSON
 * @throws DatabaseUnavailable, or whatever the work throws: nothing was done then
 */
export function once<Outcome = never>(
  database: Database,
  key: IdempotencyKey,
  work: (transaction: Transaction) => Promise<unknown>,
): Promise<Once | Outcome> {
  return database.transaction(async (transaction) => {
    const names = { keyId: key.keyId, key: key.key };
    const [isClaimed] = await claim(transaction, [key]);
    if (!isClaimed) return earlier(transaction, key);
    const answer = await work(transaction);
    if (answer instanceof Refused) {
      await transaction.entities((manager) => manager.delete(IdempotencyKeyRow, names));
      return answer.outcome as Outcome;
    }
    await saveAnswers(transaction, [{ key, answer }]);
    return { kind: 'created', answer };
  });
}

/**
 * Claims keys that differ from each other. It may wait for another transaction that has claimed one of them and is not
 * committed; all claim in one order.
 * @returns which of them are claimed now, in their order; of the others, see `earlier`
 */
export async function claim(transaction: Transaction, keys: IdempotencyKey[]): Promise<boolean[]> {
  const rows = await transaction.query(CLAIM, [
    keys.map(({ keyId }) => keyId),
    keys.map(({ key }) => key),
    keys.map(({ fingerprint }) => fingerprint),
  ]);
  const claimed = new Set(rows.map(nameOf));
  return keys.map((key) => claimed.has(nameOf(key)));
}

/** Two claims of the same name are of the same request, or of one that is refused. */
export function nameOf({ keyId, key }: Pick<IdempotencyKey, 'keyId' | 'key'>): string {
  return `${keyId} ${key}`;
}

/** Of requests whose keys were claimed in the transaction. */
export async function saveAnswers(
  transaction: Transaction,
  kept: { key: IdempotencyKey; answer: unknown }[],
): Promise<void> {
  await Promise.all([
    transaction.query(ANSWER, [
      kept.map(({ key }) => key.keyId),
      kept.map(({ key }) => key.key),
      kept.map(({ answer }) => JSON.stringify(answer)),
    ]),
    transaction.query(SWEEP),
  ]);
}

/** What became of a request whose key was claimed before. */
export async function earlier(
  transaction: Transaction,
  { keyId, key, fingerprint }: IdempotencyKey,
): Promise<Once> {
  const row = await transaction.entities((manager) => manager.findOneBy(IdempotencyKeyRow, { keyId, key }));
  if (row?.fingerprint !== fingerprint) return { kind: 'conflict' };
  return { kind: 'replayed', answer: row.answer };
}

/** The answers to requests that their clients may send again. */
@Injectable()
export class KeptAnswers {
  constructor(private readonly database: Database) {}

  /**
   * What the request was answered before; null when it was not, or is being answered now. For the time before a
   * request that is sent again meets any other check: the deployment's rules may have changed since.
   */
  async find({ keyId, key, fingerprint }: IdempotencyKey): Promise<Once | null> {
    const [row] = await this.database.query(KEPT, [keyId, key]);
    if (!row) return null;
    return row.fingerprint === fingerprint ? { kind: 'replayed', answer: row.answer } : { kind: 'conflict' };
  }
}

const KEPT = statement(
  { fingerprint: text, answer: json.orNull },
  `
  select fingerprint, answer from idempotency_keys
  where key_id = $1 and key = $2 and answer is not null and created_at >= now() - interval '${KEPT_HOURS} hours'`,
).asPrepared;

const CLAIM = statement(
  { keyId: integer, key: text },
  `
  insert into idempotency_keys as k (key_id, key, fingerprint, created_at)
  select key_id, key, fingerprint, clock_timestamp()
  from unnest($1::integer[], $2::text[], $3::text[]) as claimed(key_id, key, fingerprint)
  order by key_id, key
  on conflict (key_id, key) do update
    set fingerprint = excluded.fingerprint, answer = null, created_at = excluded.created_at
    where k.created_at < excluded.created_at - interval '${KEPT_HOURS} hours'
  returning key_id as "keyId", key`,
).asPrepared;

const ANSWER = command(`
  update idempotency_keys k set answer = kept.answer
  from unnest($1::integer[], $2::text[], $3::json[]) as kept(key_id, key, answer)
  where k.key_id = kept.key_id and k.key = kept.key`).asPrepared;

const SWEEP = command(`
  delete from idempotency_keys where (key_id, key) in (
    select key_id, key from idempotency_keys where created_at < now() - interval '${SWEPT_AFTER_HOURS} hours'
    order by created_at limit ${SWEPT_MAX} for update skip locked)`).asPrepared;
