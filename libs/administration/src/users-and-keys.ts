import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { timestamp } from '@proctor/contracts';
import { type Actor, ApiKeys, type KeyLimits, type NewApiKey, type User, Users } from '@proctor/database';
import { type KeyChange, type KeyWithSecret, NEVER, type NewUser } from '@proctor/resources';
import { weaknessOf } from './password-policy';
import { Deployment, Signals } from './ports';
import { InvalidRequest, Refusal } from './requests';

/** 120 bits, in 20 characters. */
const PASSWORD_BYTES = 15;

/** What administrators do about users and their keys. Each change is committed, and in the audit log, when its method resolves. */
@Injectable()
export class UsersAndKeys {
  constructor(
    private readonly users: Users,
    private readonly keys: ApiKeys,
    private readonly deployment: Deployment,
    private readonly signals: Signals,
  ) {}

  /**
   * A user without a password has keys alone, or a login provider.
   * @throws UserExists; InvalidRequest for a password that is guessed soon
   */
  async add({ name, admin = false, password }: NewUser, by: Actor): Promise<User> {
    if (password !== undefined) await this.requireStrong(password, name);
    return this.users.add(name, { isAdmin: admin, by, ...(password !== undefined && { password }) });
  }

  /**
   * Who knew the one before is logged out.
   * @param password one is drawn when absent
   * @returns the password
   * @throws UnknownUser; InvalidRequest for a password that is guessed soon
   */
  async setPassword(name: string, password: string | undefined, by: Actor): Promise<string> {
    if (password !== undefined) await this.requireStrong(password, name);
    const set = password ?? randomBytes(PASSWORD_BYTES).toString('base64url');
    await this.users.setPassword(name, set, by);
    return set;
  }

  /** @throws UnknownUser; Refusal (conflict) when the user is that already, and for the last administrator */
  async setAdministrator(name: string, isAdmin: boolean, by: Actor): Promise<void> {
    const outcome = await this.users.setAdministrator(name, isAdmin, by);
    refuseUnchanged(name, outcome, isAdmin ? 'an administrator already' : 'no administrator');
    await this.signals.keys();
  }

  /**
   * Keeps a user out, at once, or lets one in again: a removed one too, who has neither password nor keys then.
   * @throws UnknownUser; Refusal (conflict) when the user is that already, and for the last administrator
   */
  async setDisabled(name: string, isDisabled: boolean, by: Actor): Promise<void> {
    const outcome = await this.users.setDisabled(name, isDisabled, by);
    refuseUnchanged(name, outcome, isDisabled ? 'disabled already' : 'not disabled');
    await this.signals.keys();
  }

  /**
   * Removes a user: the runs stay, and no other user gets the name.
   * @throws UnknownUser; Refusal (conflict) when the user was removed before, and for the last administrator
   */
  async remove(name: string, by: Actor): Promise<void> {
    refuseUnchanged(name, await this.users.remove(name, by), 'removed already');
    await this.signals.keys();
  }

  /**
   * Logs a user out of all browsers.
   * @returns of how many
   * @throws UnknownUser
   */
  endSessions(name: string, by: Actor): Promise<number> {
    return this.users.endSessions(name, by);
  }

  /**
   * A new secret: the old one opens nothing from now on.
   * @throws Refusal (unknown) when the user has no such key, or it is revoked
   */
  async rotateKey(id: number, userName: string, by: Actor): Promise<NewApiKey> {
    const rotated = await this.keys.rotate(id, userName, by);
    if (!rotated) throw new Refusal('unknown', `${userName} has no valid key ${id}`);
    await this.signals.keys();
    return rotated;
  }

  /** @returns its id @throws Refusal (unknown) when there is no such key, or it is revoked */
  async revokeKey(idOrPrefix: number | string, by: Actor): Promise<number> {
    const revoked = await this.keys.revoke(idOrPrefix, undefined, by);
    if (revoked === null) throw new Refusal('unknown', `there is no valid key ${idOrPrefix}`);
    await this.signals.keys();
    return revoked;
  }

  private async requireStrong(password: string, userName: string): Promise<void> {
    const weakness = weaknessOf(password, userName, await this.deployment.passwordPolicy());
    if (weakness !== null) throw new InvalidRequest(`password ${weakness}`, 'password');
  }
}

/** @param same what the user is when nothing is to be done */
function refuseUnchanged(name: string, outcome: 'changed' | 'same' | 'last', same: string): void {
  if (outcome === 'last')
    throw new Refusal('conflict', `${name} is the last administrator; appoint another one first`);
  if (outcome === 'same') throw new Refusal('conflict', `${name} is ${same}`);
}

/** The limits that a request names; those that it leaves out are absent. */
export function keyLimitsOf({ scope, expires_at: end }: KeyChange): Partial<KeyLimits> {
  const expiresAt = end === undefined ? end : end === NEVER ? null : new Date(end);
  return { ...(scope && { scope }), ...(expiresAt !== undefined && { expiresAt }) };
}

export function newKeyObject({ id, name, key, createdAt, scope, expiresAt }: NewApiKey): KeyWithSecret {
  const expiry = expiresAt && timestamp(expiresAt);
  return { id, name, key, created_at: timestamp(createdAt), scope, expires_at: expiry };
}
