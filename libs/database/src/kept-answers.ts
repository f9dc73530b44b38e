import { Injectable } from '@nestjs/common';
import { Database } from './database';
import { type IdempotencyKey, KEPT_HOURS, type Once } from './once';

/** The answers to requests that their clients may send again. */
@Injectable()
export class KeptAnswers {
  constructor(private readonly database: Database) {}

  /**
   * What the request was answered before; null when it was not, or is being answered now. For the time before a
   * request that is sent again meets any other check: the deployment's rules may have changed since.
   * @throws DatabaseUnavailable
   */
  async find({ keyId, key, fingerprint }: IdempotencyKey): Promise<Once | null> {
    const [row] = await this.database.query<{ fingerprint: string; answer: unknown }>(FIND, [keyId, key]);
    if (!row) return null;
    return row.fingerprint === fingerprint ? { kind: 'replayed', answer: row.answer } : { kind: 'conflict' };
  }
}

const FIND = `
  select fingerprint, answer from idempotency_keys
  where key_id = $1 and key = $2 and answer is not null and created_at >= now() - interval '${KEPT_HOURS} hours'`;
