import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { createHash, randomBytes } from 'node:crypto';
import { Database } from './database';
import { ApiKeyRow, UserRow } from './rows';
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
  key: string;
  prefix: string;
}

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
    const key = MARK + randomBytes(SECRET_BYTES).toString('hex');
    const prefix = key.slice(0, PREFIX_LENGTH);
    return this.database.entities(async (manager) => {
      const user = await manager.findOneBy(UserRow, { name: userName });
      if (!user) throw new UnknownUser(userName);
      const row = { userId: user.userId, name: keyName, prefix, keyHash: hashOf(key) };
      return { id: (await manager.save(ApiKeyRow, row)).keyId, key, prefix };
    });
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
   * @returns false when there is no such key or it was revoked before
   */
  async revoke(idOrPrefix: number | string): Promise<boolean> {
    const revoked = await this.database.query(REVOKE, [String(idOrPrefix)]);
    return revoked.length > 0;
  }

  /**
   * Null for an unknown or revoked key, whatever its shape. Looked up by its hash, so that time tells nothing about it.
   * @throws DatabaseUnavailable
   */
  async authenticate(key: string): Promise<Requestor | null> {
    const [found] = await this.database.query<Requestor & { useIsNoted: boolean }>(FIND, [
      hashOf(key),
      USE_NOTED_EVERY_SECONDS,
    ]);
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
    const noted = this.database
      .query(NOTE_USE, [keyId, USE_NOTED_EVERY_SECONDS])
      .catch((error: unknown) => this.logger.warn(`the use of key ${keyId} is not noted: ${String(error)}`))
      .then(() => void this.noting.delete(keyId));
    this.noting.set(keyId, noted);
  }
}

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

const FIND = `
  select u.user_id as "userId", u.name as "userName", u.is_admin as "isAdmin", k.key_id as "keyId",
    coalesce(k.last_used_at > now() - make_interval(secs => $2), false) as "useIsNoted"
  from api_keys k join users u using (user_id)
  where k.key_hash = $1 and k.revoked_at is null`;

const REVOKE = `
  update api_keys set revoked_at = now()
  where (key_id::text = $1 or prefix = $1) and revoked_at is null
  returning key_id`;

const NOTE_USE = `
  update api_keys set last_used_at = now()
  where key_id = $1 and coalesce(last_used_at <= now() - make_interval(secs => $2), true)`;
