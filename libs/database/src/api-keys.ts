import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { createHash, randomBytes } from 'node:crypto';
import { Database, type Transaction } from './database';
import { KEPT_HOURS } from './once';
import { besideRequests } from './request-wait';
import { ApiKeyRow, IdempotencyKeyRow, UserRow } from './rows';
import { boolean, command, type ColumnsOf, integer, json, statement, text, time } from './statement';
import { UnknownUser } from './users';

/** Whom a valid key belongs to. */
export interface Requestor {
  userId: number;
  userName: string;
  keyId: number;
  isAdmin: boolean;
}

/** A key at its creation: the only time that the secret is seen. */
export interface NewApiKey {
  id: number;
  name: string;
  key: string;
  prefix: string;
  createdAt: Date;
}

/** A request for a key that its client may send again. */
export interface SealedRequest {
  /** The client's word for the request. */
  word: string;
  /** SHA-256 of what was asked, lower-case hex. */
  fingerprint: string;
  seal(created: NewApiKey): string;
}

/** `replayed`: what `seal` made of the key then. `conflict`: the word was used for another request. */
export type NewApiKeyOnce =
  { kind: 'created'; created: NewApiKey } | { kind: 'replayed'; sealed: string } | { kind: 'conflict' };

/** What may be shown of a key. */
export interface ApiKey {
  id: number;
  name: string;
  prefix: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  /** Null as long as the key is valid. */
  revokedAt: Date | null;
}

const MARK = 'pk_';
const SECRET_BYTES = 28;
/** 40 of the 224 random bits are shown, so 184 stay secret. */
const PREFIX_LENGTH = MARK.length + 10;

/** `last_used_at` is written at most this often for a key. */
const USE_NOTED_EVERY_SECONDS = 60;

@Injectable()
export class ApiKeys implements OnModuleDestroy {
  private readonly logger = new Logger(ApiKeys.name);
  /** Uses being noted, by key id. */
  private readonly noting = new Map<number, Promise<void>>();

  constructor(private readonly database: Database) {}

  /** @throws UnknownUser, DatabaseUnavailable */
  async create(userName: string, keyName: string): Promise<NewApiKey> {
    return this.database.transaction(async (transaction) => {
      const [user] = await transaction.query(LOCK_USER, [userName]);
      if (!user) throw new UnknownUser(userName);
      return insertKey(transaction, user.userId, keyName);
    });
  }

  /**
   * The same, at most once for a client's word within 24 hours. The answer holds the secret, so only what the client
   * alone can open again is kept of it.
   * @throws UnknownUser, DatabaseUnavailable
   */
  createOnce(userName: string, keyName: string, request: SealedRequest): Promise<NewApiKeyOnce> {
    return this.database.transaction(async (transaction) => {
      const [user] = await transaction.query(LOCK_USER, [userName]);
      if (!user) throw new UnknownUser(userName);
      // No word of a client begins with a space: headers are trimmed.
      const word = ` ${hashOf(request.word)}`;
      const [earlier] = await transaction.query(EARLIER, [user.userId, word]);
      if (earlier && earlier.fingerprint !== request.fingerprint) return { kind: 'conflict' };
      if (earlier) return { kind: 'replayed', sealed: earlier.sealed! };
      const created = await insertKey(transaction, user.userId, keyName);
      await transaction.entities((manager) =>
        manager.insert(IdempotencyKeyRow, {
          keyId: created.id,
          key: word,
          fingerprint: request.fingerprint,
          answer: request.seal(created),
          createdAt: () => 'clock_timestamp()',
        }),
      );
      return { kind: 'created', created };
    });
  }

  /**
   * A new secret for a key: the old one opens nothing from now on, and the results stay readable by the new one.
   * @returns null when the user has no such key, or it was revoked
   * @throws DatabaseUnavailable
   */
  async rotate(id: number, userName: string): Promise<NewApiKey | null> {
    const { key, prefix, keyHash } = newSecret();
    const [rotated] = await this.database.transaction((transaction) =>
      transaction.query(ROTATE, [id, userName, prefix, keyHash]),
    );
    return rotated ? { ...rotated, key } : null;
  }

  /**
   * All keys of a user, the revoked ones too, oldest first.
   * @throws UnknownUser, DatabaseUnavailable
   */
  async list(userName: string): Promise<ApiKey[]> {
    return this.database.entities(async (manager) => {
      const user = await manager.findOneBy(UserRow, { name: userName });
      if (!user) throw new UnknownUser(userName);
      const rows = await manager.find(ApiKeyRow, { where: { userId: user.userId }, order: { keyId: 'asc' } });
      return rows.map(({ keyId, name, prefix, createdAt, lastUsedAt, revokedAt }) => {
        return { id: keyId, name, prefix, createdAt, lastUsedAt, revokedAt };
      });
    });
  }

  /**
   * The key opens nothing from now on; its results stay.
   * @param userName only if it is this user's
   * @returns false when there is no such key or it was revoked before
   */
  async revoke(idOrPrefix: number | string, userName?: string): Promise<boolean> {
    const revoked = await this.database.transaction((transaction) =>
      transaction.query(REVOKE, [String(idOrPrefix), userName ?? null]),
    );
    return revoked.length > 0;
  }

  /**
   * Null for an unknown or revoked key, whatever its shape. Looked up by its hash, so that time tells nothing about it.
   * @throws DatabaseUnavailable
   */
  async authenticate(key: string): Promise<Requestor | null> {
    const [found] = await this.database.query(FIND, [hashOf(key), USE_NOTED_EVERY_SECONDS]);
    if (!found) return null;
    const { useIsNoted, ...requestor } = found;
    if (!useIsNoted) this.noteUse(requestor.keyId);
    return requestor;
  }

  /** Resolves once no statement of this store is under way. */
  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.noting.values());
  }

  private noteUse(keyId: number): void {
    if (this.noting.has(keyId)) return;
    const noted = besideRequests(() => this.database.query(NOTE_USE, [keyId, USE_NOTED_EVERY_SECONDS]))
      .catch((error: unknown) => this.logger.warn(`the use of key ${keyId} is not noted: ${String(error)}`))
      .then(() => void this.noting.delete(keyId));
    this.noting.set(keyId, noted);
  }
}

function insertKey(transaction: Transaction, userId: number, name: string): Promise<NewApiKey> {
  const { key, prefix, keyHash } = newSecret();
  return transaction.entities(async (manager) => {
    const row = manager.create(ApiKeyRow, { userId, name, prefix, keyHash });
    await manager.insert(ApiKeyRow, row);
    return { id: row.keyId, name, key, prefix, createdAt: row.createdAt };
  });
}

function newSecret(): { key: string; prefix: string; keyHash: string } {
  const key = MARK + randomBytes(SECRET_BYTES).toString('hex');
  return { key, prefix: key.slice(0, PREFIX_LENGTH), keyHash: hashOf(key) };
}

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

const FIND = statement(
  { userId: integer, userName: text, isAdmin: boolean, keyId: integer, useIsNoted: boolean },
  `
  select u.user_id as "userId", u.name as "userName", u.is_admin as "isAdmin", k.key_id as "keyId",
    coalesce(k.last_used_at > now() - make_interval(secs => $2), false) as "useIsNoted"
  from api_keys k join users u using (user_id)
  where k.key_hash = $1 and k.revoked_at is null`,
).prepared;

/** Two equal requests of a user at once come one after the other. */
const LOCK_USER = statement(
  { userId: integer },
  'select user_id as "userId" from users where name = $1 for no key update',
);

const EARLIER = statement(
  { fingerprint: text, sealed: json.as<string>().orNull },
  `
  select i.fingerprint, i.answer as sealed
  from idempotency_keys i join api_keys k using (key_id)
  where k.user_id = $1 and i.key = $2 and i.created_at >= now() - interval '${KEPT_HOURS} hours'`,
);

const REVOKE = statement(
  { keyId: integer },
  `
  update api_keys k set revoked_at = now() from users u
  where (key_id::text = $1 or prefix = $1) and revoked_at is null
    and u.user_id = k.user_id and ($2::text is null or u.name = $2)
  returning key_id as "keyId"`,
);

const ROTATE = statement(
  { id: integer, name: text, prefix: text, createdAt: time } satisfies ColumnsOf<Omit<NewApiKey, 'key'>>,
  `
  update api_keys k set prefix = $3, key_hash = $4, last_used_at = null from users u
  where k.key_id = $1 and k.revoked_at is null and u.user_id = k.user_id and u.name = $2
  returning k.key_id as id, k.name, k.prefix, k.created_at as "createdAt"`,
);

const NOTE_USE = command(`
  update api_keys set last_used_at = now()
  where key_id = $1 and coalesce(last_used_at <= now() - make_interval(secs => $2), true)`).prepared;
