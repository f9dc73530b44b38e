import { Injectable } from '@nestjs/common';
import { type AuditAction, isArchitecture, WORKER_NAME } from '@proctor/contracts';
import { audit } from '../people/audit-log';
import type { Canceller } from '../runs/cancellations';
import { Database, type Statements } from '../kit/database';
import { STAND } from './decision-statements';
import { architecturesOf } from './decisions';
import * as statements from './register-statements';
import type { SeenWorker, WorkerRecord, WorkerRefusals, WorkerRegistration } from './register-statements';
import type { Statement } from '../kit/statement';

/** The name, key or architecture of a worker is not valid. */
class InvalidRegistration extends Error {}

export class WorkerExists extends Error {
  constructor(name: string) {
    super(`there is already a worker ${name}`);
  }
}

export class UnknownWorker extends Error {
  constructor(name: string) {
    super(`there is no worker ${name}`);
  }
}

export class WorkerRevoked extends Error {
  constructor(name: string) {
    super(`worker ${name} is revoked`);
  }
}

/** Another process changes the accounts for too long. The accounts are unchanged. */
export class AccountsBusy extends Error {
  /** @param waitMs how long this process has waited */
  constructor(waitMs: number) {
    super(
      `another process has been changing the accounts of nats-server for more than ${waitMs} ms: look which one is stuck` +
        ` (PostgreSQL shows its connection as "${ACCOUNTS_LOCK.applicationName}"), and try again`,
    );
  }
}

const ACCOUNTS_LOCK = { key: 5_787_318_446_020_173, applicationName: 'proctor accounts' };

const PUBLIC_KEY = /^U[A-Z2-7]{55}$/;

type Change = 'register' | 'rotate' | 'revoke';

const ACTION_OF: Record<Change, AuditAction> = {
  register: 'worker-added',
  rotate: 'worker-rotated',
  revoke: 'worker-revoked',
};

/**
 * The register of workers: it decides whose messages dispatchers accept and whose connections nats-server accepts. A
 * change is committed when its promise resolves, with an order to every dispatcher. The orders are also the permanent
 * record. A dispatcher applies a change when it reads its orders.
 */
@Injectable()
export class WorkerRegister {
  constructor(private readonly database: Database) {}

  /**
   * Adds a worker; replaces a revoked one with the same name.
   * @returns the architectures whose dispatchers wait for a signal
   * @throws WorkerExists if the name is in use; InvalidRegistration if a field is not valid
   */
  async add(worker: WorkerRegistration, by: Canceller, reason: string | null = null): Promise<string[]> {
    check(worker);
    return this.change('register', worker.name, by, reason, async (transaction) => {
      const added = await transaction.query(statements.ADD, parametersOf(worker));
      if (added.length === 0) throw new WorkerExists(worker.name);
      return worker.architectures;
    });
  }

  /**
   * Adds the worker, or updates its record.
   * @returns false if a worker with this name was revoked; nothing was changed then
   * @throws InvalidRegistration if a field is not valid
   */
  async saveWorker(worker: WorkerRegistration, by: Canceller): Promise<boolean> {
    check(worker);
    const record = await this.find(worker.name);
    if (record?.revokedAt) return false;
    if (record && isSame(record, worker)) return true;
    await this.change('register', worker.name, by, null, async (transaction) => {
      await transaction.query(statements.PUT, parametersOf(worker));
      return worker.architectures;
    });
    return true;
  }

  /**
   * Replaces the key of a worker. The earlier key is no longer valid.
   * @returns the architectures whose dispatchers wait for a signal
   * @throws UnknownWorker if no worker has the name; WorkerRevoked if it is revoked; InvalidRegistration if the key
   * is not valid
   */
  async rotate(
    name: string,
    publicKey: string,
    by: Canceller,
    reason: string | null = null,
  ): Promise<string[]> {
    checkKey(publicKey);
    return this.change('rotate', name, by, reason, (transaction) =>
      changedWorker(transaction, statements.ROTATE, [name, publicKey]),
    );
  }

  /**
   * Revokes a worker: it may do nothing from now on. Dispatchers end its leases, and their runs wait again.
   * @returns the architectures whose dispatchers wait for a signal
   * @throws UnknownWorker if no worker has the name; WorkerRevoked if it is already revoked
   */
  revoke(name: string, by: Canceller, reason: string | null = null): Promise<string[]> {
    return this.change('revoke', name, by, reason, (transaction) =>
      changedWorker(transaction, statements.REVOKE, [name]),
    );
  }

  /** Whether each live dispatcher has ended the leases of a revoked worker. */
  async isRevocationIngested(name: string): Promise<boolean> {
    const [row] = await this.database.query(statements.REVOCATION_INGESTED, [name]);
    return row!.isIngested;
  }

  /** All workers by name, including revoked ones. */
  list(): Promise<WorkerRecord[]> {
    return this.database.query(statements.LIST);
  }

  /** The workers that are not revoked, by name. */
  valid(): Promise<WorkerRecord[]> {
    return this.database.query(statements.VALID);
  }

  /**
   * Calls `apply` with the workers that are not revoked, by name; it makes nats-server accept these and no others.
   * Only one call runs at a time in all processes, and it reads the register itself, so an older list never replaces
   * a newer one.
   * @throws AccountsBusy if another process holds the lock for too long; DatabaseUnavailable; the error of `apply`
   */
  applyAccounts<T>(apply: (workers: WorkerRecord[]) => Promise<T>): Promise<T> {
    const waitMs = this.database.limits.accountsWaitMs;
    const lock = { ...ACCOUNTS_LOCK, waitMs, waitedTooLong: () => new AccountsBusy(waitMs) };
    return this.database.alone(lock, async () => apply(await this.valid()));
  }

  async find(name: string): Promise<WorkerRecord | null> {
    const [row] = await this.database.query(statements.FIND, [name]);
    return row ?? null;
  }

  /**
   * Records which workers dispatchers have seen and refused since the last call. Names that are not in the register
   * are ignored.
   * @param workers those whose messages were accepted: their rows are written at most once a minute, however many
   * schedulers see them
   */
  async recordSeen(workers: SeenWorker[], refusals: WorkerRefusals[]): Promise<void> {
    if (workers.length > 0) await this.database.query(statements.SEEN, [JSON.stringify(workers)]);
    if (refusals.length > 0) await this.database.query(statements.REFUSED, [JSON.stringify(refusals)]);
  }

  /**
   * Makes a change with its orders and its entry of the audit log.
   * @param work returns the architectures of the worker, which may not have a dispatcher yet
   */
  private change(
    kind: Change,
    name: string,
    by: Canceller,
    reason: string | null,
    work: (transaction: Statements) => Promise<string[]>,
  ): Promise<string[]> {
    return this.database.transaction(async (transaction) => {
      const served = await architecturesOf(transaction, null);
      const architectures = [...new Set([...served, ...(await work(transaction))])].sort();
      await transaction.query(STAND, [architectures, kind, null, name, by.userId, reason]);
      await audit(transaction, by, { action: ACTION_OF[kind], subject: `worker ${name}`, detail: reason });
      return architectures;
    });
  }
}

/**
 * The architectures of the worker that the statement has changed.
 * @throws UnknownWorker if no worker has the name; WorkerRevoked if it is revoked
 */
async function changedWorker(
  transaction: Statements,
  statement: Statement<{ architectures: string[] }>,
  parameters: string[],
): Promise<string[]> {
  const [row] = await transaction.query(statement, parameters);
  if (row) return row.architectures;
  const name = parameters[0]!;
  const isKnown = (await transaction.query(statements.FIND, [name])).length > 0;
  throw isKnown ? new WorkerRevoked(name) : new UnknownWorker(name);
}

function parametersOf({ name, publicKey, architectures, mayRunPrivate }: WorkerRegistration): unknown[] {
  return [name, publicKey, architectures, mayRunPrivate];
}

function isSame(one: WorkerRegistration, other: WorkerRegistration): boolean {
  return JSON.stringify(parametersOf(one)) === JSON.stringify(parametersOf(other));
}

/** @throws InvalidRegistration */
function check({ name, publicKey, architectures }: WorkerRegistration): void {
  if (!WORKER_NAME.test(name))
    throw new InvalidRegistration(
      `name: ${JSON.stringify(name)} cannot be a worker's name: letters, digits, _ and - only, at most 63`,
    );
  checkKey(publicKey);
  if (architectures.length === 0) throw new InvalidRegistration('architectures: at least one is needed');
  const odd = architectures.find((arch) => !isArchitecture(arch));
  if (odd !== undefined)
    throw new InvalidRegistration(`architectures: ${JSON.stringify(odd)} cannot be an architecture's name`);
}

/** @throws InvalidRegistration */
function checkKey(publicKey: string): void {
  if (!PUBLIC_KEY.test(publicKey))
    throw new InvalidRegistration(
      `public key: ${JSON.stringify(publicKey)} is not that of an nkey user (U…)`,
    );
}
