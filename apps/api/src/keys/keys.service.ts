import { Injectable } from '@nestjs/common';
import { Signals } from '@proctor/administration';
import { timestamp } from '@proctor/contracts';
import { ApiKeys } from '@proctor/database';
import type { NewApiKey, User } from '@proctor/database';
import { Problem } from '../http/problem';
import { keyIsTaken } from '../http/idempotency-key';
import { noSuchKey } from './keys.dto';
import { Seal } from './sealing';
import type { Sealing } from './sealing';

/** A valid key as its user may see it. */
export interface KeyObject {
  id: number;
  name: string;
  /** The key's first characters. */
  prefix: string;
  created_at: string;
  last_used_at: string | null;
}

/** A key with its secret, which is shown this once. */
export interface NewKeyObject {
  id: number;
  name: string;
  key: string;
  created_at: string;
}

@Injectable()
export class KeysService {
  constructor(
    private readonly apiKeys: ApiKeys,
    private readonly signals: Signals,
  ) {}

  async list({ name }: User): Promise<KeyObject[]> {
    const keys = await this.apiKeys.list(name);
    return keys
      .filter((key) => key.revokedAt === null)
      .map((key) => ({
        id: key.id,
        name: key.name,
        prefix: key.prefix,
        created_at: timestamp(key.createdAt),
        last_used_at: key.lastUsedAt && timestamp(key.lastUsedAt),
      }));
  }

  /** @throws Problem 409 when the idempotency key is another request's */
  async create(keyName: string, owner: User, sealing: Sealing | null): Promise<NewKeyObject> {
    if (!sealing) return newKeyObject(await this.apiKeys.create(owner.name, keyName));
    const seal = await Seal.of(sealing, owner.name);
    const outcome = await this.apiKeys.createOnce(owner.name, keyName, {
      word: sealing.word,
      fingerprint: sealing.fingerprint,
      seal: (created) => seal.close(JSON.stringify(newKeyObject(created))),
    });
    if (outcome.kind === 'created') return newKeyObject(outcome.created);
    if (outcome.kind === 'conflict') throw keyIsTaken();
    const answer = seal.open(outcome.sealed);
    if (answer === null)
      throw new Problem(409, 'The password was changed since the key was made; rotate that key.');
    return JSON.parse(answer) as NewKeyObject;
  }

  /** @throws Problem 404 also for a key of somebody else */
  async revoke(id: number, owner: User): Promise<void> {
    if (!(await this.apiKeys.revoke(id, owner.name))) throw noSuchKey(id);
    await this.signals.keys();
  }

  /** @throws Problem 404 also for a key of somebody else */
  async rotate(id: number, owner: User): Promise<NewKeyObject> {
    const rotated = await this.apiKeys.rotate(id, owner.name);
    if (!rotated) throw noSuchKey(id);
    await this.signals.keys();
    return newKeyObject(rotated);
  }
}

function newKeyObject({ id, name, key, createdAt }: NewApiKey): NewKeyObject {
  return { id, name, key, created_at: timestamp(createdAt) };
}
