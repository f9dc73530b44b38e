import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { timestamp } from '@proctor/contracts';
import { createHash, randomBytes } from 'node:crypto';
import * as statements from './api-key-statements';
import type { ApiKey, KeyLimits, NewApiKey, OwnedApiKey } from './api-key-statements';
import { type Actor, audit } from './audit-log';
import { Database, type Transaction } from '../kit/database';
import { likeOf } from '../kit/list-filter';
import { asBackgroundWork } from '../kit/request-wait';
import { ApiKeyRow, IdempotencyKeyRow, UserRow } from '../rows';
import { UnknownUser } from './users';

/** The owner of a valid key. */
export interface Requestor {
  userId: number;
  userName: string;
  keyId: number;
  isAdmin: boolean;
  /** The network address of the request. */
  address?: string;
  /** Logged in on pages: runs that were requested with any of the user's keys are the user's own. */
  isOnPages?: true;
}

/** A valid key and its owner. */
export interface KeyHolder extends Requestor, KeyLimits {
  /** Milliseconds until it expires; null: never. */
  validMs: number | null;
}

/** The secret is right, but the key may no longer be used. The message is for its owner. */
export class KeyRefused extends Error {}

/** A request for a new key that its client may send again. */
export interface SealedRequest {
  /** The name that the client chose for the request. */
  word: string;
  /** SHA-256 of the request, lower-case hex. */
  fingerprint: string;
  seal(created: NewApiKey): string;
}

/** `replayed`: what `seal` returned for the key then. `conflict`: the word was used for another request. */
type NewApiKeyOnce =
  { kind: 'created'; created: NewApiKey } | { kind: 'replayed'; sealed: string } | { kind: 'conflict' };

/** The beginning of the digest of an imported key that was not used here yet. */
export const IMPORTED_HASH_MARK = 'sha1:';

const UNLIMITED: KeyLimits = { scope: 'everything', expiresAt: null };

const MARK = 'pk_';
const SECRET_BYTES = 28;
/** 40 of the 224 random bits are shown, so 184 stay secret. */
const PREFIX_LENGTH = MARK.length + 10;

/** `last_used_at` is written at most this often for a key. */
const USE_NOTED_EVERY_SECONDS = 60;

@Injectable()
export class ApiKeys implements OnModuleDestroy {
  private readonly logger = new Logger(ApiKeys.name);
  /** Uses that are being recorded, by key id. */
  private readonly noting = new Map<number, Promise<void>>();

  constructor(private readonly database: Database) {}

  /**
   * Creates a key.
   * @param by the actor in the audit log, here and below; without one there is no entry
   * @throws UnknownUser if no user has the name
   */
  async create(
    userName: string,
    keyName: string,
    by?: Actor,
    limits: KeyLimits = UNLIMITED,
  ): Promise<NewApiKey> {
    return this.database.transaction(async (transaction) => {
      const [user] = await transaction.query(statements.LOCK_USER, [userName]);
      if (!user) throw new UnknownUser(userName);
      const created = await insertKey(transaction, user.userId, keyName, limits);
      if (by) await audit(transaction, by, { action: 'key-created', ...ofKey({ ...created, userName }) });
      return created;
    });
  }

  /**
   * Creates a key, at most once for each word of a client within 24 hours. The answer contains the secret, so it is
   * stored sealed: only the client can open it.
   * @throws UnknownUser if no user has the name
   */
  createOnce(
    userName: string,
    keyName: string,
    request: SealedRequest,
    by?: Actor,
    limits: KeyLimits = UNLIMITED,
  ): Promise<NewApiKeyOnce> {
    return this.database.transaction(async (transaction) => {
      const [user] = await transaction.query(statements.LOCK_USER, [userName]);
      if (!user) throw new UnknownUser(userName);
      // A client's word never begins with a space: headers are trimmed.
      const word = ` ${hashOf(request.word)}`;
      const [earlier] = await transaction.query(statements.EARLIER, [user.userId, word]);
      if (earlier && earlier.fingerprint !== request.fingerprint) return { kind: 'conflict' };
      if (earlier) return { kind: 'replayed', sealed: earlier.sealed! };
      const created = await insertKey(transaction, user.userId, keyName, limits);
      if (by) await audit(transaction, by, { action: 'key-created', ...ofKey({ ...created, userName }) });
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
   * Gives a key a new secret. The old one is no longer valid, and the results stay readable with the new one.
   * @returns null when the user has no such key, or it was revoked
   */
  async rotate(id: number, userName: string, by?: Actor): Promise<NewApiKey | null> {
    const { key, prefix, keyHash } = newSecret();
    return this.database.transaction(async (transaction) => {
      const [rotated] = await transaction.query(statements.ROTATE, [id, userName, prefix, keyHash]);
      if (!rotated) return null;
      if (by) await audit(transaction, by, { action: 'key-rotated', ...ofKey({ ...rotated, userName }) });
      return { ...rotated, key };
    });
  }

  /**
   * Changes what a key permits from now on; absent fields stay as they are.
   * @returns false when the user has no such key, or it was revoked
   */
  limit(id: number, userName: string, limits: Partial<KeyLimits>, by?: Actor): Promise<boolean> {
    const { scope, expiresAt } = limits;
    const parameters = [scope ?? null, scope !== undefined, expiresAt ?? null, expiresAt !== undefined];
    return this.database.transaction(async (transaction) => {
      const [limited] = await transaction.query(statements.LIMIT, [id, userName, ...parameters]);
      if (!limited) return false;
      const { subject, detail } = ofKey({ ...limited, userName });
      const now = { action: 'key-changed', subject, detail: `${detail}: ${inWords(limits)}` } as const;
      if (by) await audit(transaction, by, now);
      return true;
    });
  }

  /**
   * The key for what a user requests on pages, which is created at the first request. It cannot be used
   * otherwise: its secret is not saved.
   */
  async ofPages(userId: number): Promise<number> {
    const { prefix, keyHash } = newSecret();
    const parameters = [userId, prefix, keyHash];
    const [row] = await this.database.query(statements.OF_PAGES, [userId]);
    if (row) return row.keyId;
    await this.database.transaction((transaction) => transaction.query(statements.ADD_OF_PAGES, parameters));
    const [created] = await this.database.query(statements.OF_PAGES, [userId]);
    return created!.keyId;
  }

  /** All keys of a user including revoked ones, oldest first. @throws UnknownUser if no user has the name */
  async list(userName: string): Promise<ApiKey[]> {
    return this.database.entities(async (manager) => {
      const user = await manager.findOneBy(UserRow, { name: userName });
      if (!user) throw new UnknownUser(userName);
      const where = { userId: user.userId, isOfPages: false };
      const rows = await manager.find(ApiKeyRow, { where, order: { keyId: 'asc' } });
      return rows.map(({ keyId, name, prefix, createdAt, lastUsedAt, revokedAt, scope, expiresAt }) => {
        return { id: keyId, name, prefix, createdAt, lastUsedAt, revokedAt, scope, expiresAt };
      });
    });
  }

  /**
   * From now on the key is not valid; its results stay.
   * @param userName only if it is this user's
   * @returns its id; null when there is no such key or it was revoked before
   */
  revoke(idOrPrefix: number | string, userName?: string, by?: Actor): Promise<number | null> {
    return this.database.transaction(async (transaction) => {
      const [revoked] = await transaction.query(statements.REVOKE, [String(idOrPrefix), userName ?? null]);
      if (revoked && by) await audit(transaction, by, { action: 'key-revoked', ...ofKey(revoked) });
      return revoked?.id ?? null;
    });
  }

  /**
   * Valid keys of all users, newest first.
   * @param search a part of the name of the user, of the key or of its prefix; empty: all
   * @param before only keys with lower ids
   */
  listAll(search: string, limit: number, before: number | null): Promise<OwnedApiKey[]> {
    return this.database.query(statements.LIST_ALL, [`%${likeOf(search)}%`, before, limit]);
  }

  /**
   * Finds the owner of a key. The key is found by its hash, so that the time of an answer does not help to guess
   * keys.
   * @returns null for an unknown or revoked key, whatever its form
   * @throws KeyRefused if the key has expired or its user is disabled
   */
  async authenticate(key: string): Promise<KeyHolder | null> {
    const [hash, importedHash] = [hashOf(key), importedHashOf(key)];
    const [row] = await this.database.query(statements.FIND, [hash, USE_NOTED_EVERY_SECONDS, importedHash]);
    if (!row) return null;
    const { useIsNoted, isDisabled, isImported, ...holder } = row;
    const { expiresAt, validMs, userName, keyId } = holder;
    if (isDisabled) throw new KeyRefused(`The user ${userName} of this API key is disabled.`);
    if (expiresAt && validMs! <= 0)
      throw new KeyRefused(`This API key has expired, at ${timestamp(expiresAt)}: make another one.`);
    if (isImported) await this.database.query(statements.REHASH, [keyId, hash, importedHash]);
    if (!useIsNoted) this.recordUse(keyId);
    return holder;
  }

  /** Waits for the running writes of this store. */
  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.noting.values());
  }

  private recordUse(keyId: number): void {
    if (this.noting.has(keyId)) return;
    const noted = asBackgroundWork(() =>
      this.database.query(statements.NOTE_USE, [keyId, USE_NOTED_EVERY_SECONDS]),
    )
      .catch((error: unknown) => this.logger.warn(`the use of key ${keyId} is not noted: ${String(error)}`))
      .then(() => void this.noting.delete(keyId));
    this.noting.set(keyId, noted);
  }
}

/** The key as subject and detail of an audit entry. */
function ofKey(key: { id: number; name: string; userName: string }): { subject: string; detail: string } {
  return { subject: `key ${key.id}`, detail: `“${key.name}” of ${key.userName}` };
}

function inWords({ scope, expiresAt }: Partial<KeyLimits>): string {
  const end = expiresAt === null ? 'does not expire' : expiresAt && `expires ${timestamp(expiresAt)}`;
  return [scope && `scope ${scope}`, end].filter((part) => part !== undefined).join(', ');
}

function insertKey(
  transaction: Transaction,
  userId: number,
  name: string,
  limits: KeyLimits,
): Promise<NewApiKey> {
  const { key, prefix, keyHash } = newSecret();
  return transaction.entities(async (manager) => {
    const row = manager.create(ApiKeyRow, { userId, name, prefix, keyHash, ...limits });
    await manager.insert(ApiKeyRow, row);
    return { id: row.keyId, name, key, prefix, createdAt: row.createdAt, ...limits };
  });
}

function newSecret(): { key: string; prefix: string; keyHash: string } {
  const key = MARK + randomBytes(SECRET_BYTES).toString('hex');
  return { key, prefix: key.slice(0, PREFIX_LENGTH), keyHash: hashOf(key) };
}

/** The digest of a key from another service, whose SHA-1 alone could be imported. */
function importedHashOf(key: string): string {
  return IMPORTED_HASH_MARK + createHash('sha1').update(key).digest('hex');
}

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
