import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from './database';
import { IdempotencyKeyRow } from '../rows';
import { command, integer, json, statement, text } from './statement';

/** Identifies a request that its client may send again without creating anything twice. */
export interface IdempotencyKey {
  /** The API key of the client: two clients may choose the same `key`. */
  keyId: number;
  /** The name that the client chose for the request. */
  key: string;
  /** SHA-256 of the request, lower-case hex: method, path and parsed parameters. */
  fingerprint: string;
}

/**
 * `replayed`: the request was done before, and `answer` is its answer. `conflict`: the key was used for another
 * request.
 */
export type Once =
  { kind: 'created'; answer: unknown } | { kind: 'replayed'; answer: unknown } | { kind: 'conflict' };

/** The work was refused: nothing is saved, and the same request may succeed later. */
export class RefusedWork<Outcome> {
  constructor(readonly outcome: Outcome) {}
}

/** Answers can be repeated for this long. */
export const KEPT_HOURS = 24;
/** After this time no client repeats a request. Each new row deletes a few older rows. */
const SWEPT_AFTER_HOURS = KEPT_HOURS + 1;
const SWEPT_MAX = 10;

/**
 * Does the work and records its answer in one transaction, at most once for a key within 24 hours. If the same
 * request arrives meanwhile, it waits for the first, at most as long as a statement may take.
 * @param work resolves with the answer, which must be JSON
 * @throws DatabaseUnavailable, or the error of `work`; nothing was done then
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
    if (answer instanceof RefusedWork) {
      await transaction.entities((manager) => manager.delete(IdempotencyKeyRow, names));
      return answer.outcome as Outcome;
    }
    await saveAnswers(transaction, [{ key, answer }]);
    return { kind: 'created', answer };
  });
}

/**
 * Claims keys, all different. It may wait for another transaction that has claimed one of them and is not committed;
 * all transactions claim keys in the same order, so they cannot deadlock.
 * @returns for each key whether it is claimed now; for the others see `earlier`
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

/**
 * The client and the key as one text. Two claims with the same text are of the same request, or the second is
 * refused.
 */
export function nameOf({ keyId, key }: Pick<IdempotencyKey, 'keyId' | 'key'>): string {
  return `${keyId} ${key}`;
}

/** Saves the answers of requests whose keys were claimed in the transaction. */
export async function saveAnswers(
  transaction: Transaction,
  saved: { key: IdempotencyKey; answer: unknown }[],
): Promise<void> {
  await Promise.all([
    transaction.query(ANSWER, [
      saved.map(({ key }) => key.keyId),
      saved.map(({ key }) => key.key),
      saved.map(({ answer }) => JSON.stringify(answer)),
    ]),
    transaction.query(SWEEP),
  ]);
}

/** The result of a request whose key was claimed before. */
export async function earlier(
  transaction: Transaction,
  { keyId, key, fingerprint }: IdempotencyKey,
): Promise<Once> {
  const row = await transaction.entities((manager) => manager.findOneBy(IdempotencyKeyRow, { keyId, key }));
  if (row?.fingerprint !== fingerprint) return { kind: 'conflict' };
  return { kind: 'replayed', answer: row.answer };
}

/** Saved answers to requests that clients may send again. */
@Injectable()
export class KeptAnswers {
  constructor(private readonly database: Database) {}

  /**
   * The earlier answer to the request; null if it was not answered yet. Call it before all other checks: the rules of
   * the deployment may have changed since the first answer.
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
  with old as (
    select key_id, key from idempotency_keys where created_at < now() - interval '${SWEPT_AFTER_HOURS} hours'
    order by created_at limit ${SWEPT_MAX} for update skip locked
  )
  delete from idempotency_keys k using old where k.key_id = old.key_id and k.key = old.key`).asPrepared;
