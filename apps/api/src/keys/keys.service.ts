import type { KeyResource, KeyChange, KeyWithSecret, NewKey } from '@proctor/resources';
import { Injectable } from '@nestjs/common';
import { keyLimitsOf, newKeyObject, Signals } from '@proctor/administration';
import { timestamp } from '@proctor/contracts';
import { ApiKeys } from '@proctor/database';
import type { Actor, ApiKey, NewApiKey } from '@proctor/database';
import { Problem } from '../http/problem';
import { keyIsTaken } from '../http/idempotency-key';
import { Seal } from './sealing';
import type { Sealing } from './sealing';
import { noSuchKey } from '../http/path-ids';

@Injectable()
export class KeysService {
  constructor(
    private readonly apiKeys: ApiKeys,
    private readonly signals: Signals,
  ) {}

  async list({ userName }: Pick<Actor, 'userName'>): Promise<KeyResource[]> {
    const keys = await this.apiKeys.list(userName);
    return keys.filter((key) => key.revokedAt === null).map(keyObject);
  }

  /** @throws Problem 409 if another request used the idempotency key */
  async create(request: NewKey, owner: Actor, sealing: Sealing | null): Promise<KeyWithSecret> {
    const { userName } = owner;
    const { name: keyName } = request;
    const limits = { scope: 'everything', expiresAt: null, ...keyLimitsOf(request) } as const;
    if (!sealing) return newKeyObject(await this.apiKeys.create(userName, keyName, owner, limits));
    const seal = await Seal.of(sealing, userName);
    const sealed = {
      word: sealing.word,
      fingerprint: sealing.fingerprint,
      seal: (created: NewApiKey) => seal.close(JSON.stringify(newKeyObject(created))),
    };
    const outcome = await this.apiKeys.createOnce(userName, keyName, sealed, owner, limits);
    if (outcome.kind === 'created') return newKeyObject(outcome.created);
    if (outcome.kind === 'conflict') throw keyIsTaken();
    const answer = seal.open(outcome.sealed);
    if (answer === null)
      throw new Problem(409, 'The password was changed since the key was made; rotate that key.');
    return JSON.parse(answer) as KeyWithSecret;
  }

  /**
   * Changes what the key may do from now on; absent fields stay as they are.
   * @throws Problem 404 also for a key of another user
   */
  async change(id: number, request: KeyChange, owner: Actor): Promise<KeyResource> {
    const isChanged = await this.apiKeys.limit(id, owner.userName, keyLimitsOf(request), owner);
    const key = isChanged && (await this.list(owner)).find((key) => key.id === id);
    if (!key) throw noSuchKey(id);
    await this.signals.keys();
    return key;
  }

  /** @throws Problem 404 also for a key of another user */
  async revoke(id: number, owner: Actor): Promise<void> {
    if ((await this.apiKeys.revoke(id, owner.userName, owner)) === null) throw noSuchKey(id);
    await this.signals.keys();
  }

  /** @throws Problem 404 also for a key of another user */
  async rotate(id: number, owner: Actor): Promise<KeyWithSecret> {
    const rotated = await this.apiKeys.rotate(id, owner.userName, owner);
    if (!rotated) throw noSuchKey(id);
    await this.signals.keys();
    return newKeyObject(rotated);
  }
}

function keyObject(key: ApiKey): KeyResource {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    created_at: timestamp(key.createdAt),
    last_used_at: key.lastUsedAt && timestamp(key.lastUsedAt),
    scope: key.scope,
    expires_at: key.expiresAt && timestamp(key.expiresAt),
  };
}
