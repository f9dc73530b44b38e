import { Injectable } from '@nestjs/common';
import type { WorkerStanding } from '@proctor/contracts';
import type { Drain, Pause } from '@proctor/dispatch';
import type { Canceller } from './cancellations';
import { Database, type Statements } from './database';
import * as statements from './decision-statements';
import { DRAINS, PAUSES } from './loading-statements';
import { type DecisionRow, decisionOf } from './decision-row';
import { type RunSelection, selectionParameters } from './run-selection';
import { changeInSteps } from './steps';

/** What is paused; null stands for every suite or every architecture. Each scope is paused and resumed on its own. */
export interface PauseScope {
  suite: string | null;
  arch: string | null;
}

/**
 * What people decide about suite queues, workers and waiting runs. Each decision is in the books when its promise
 * resolves, with an order to every dispatcher that is concerned; orders are also its lasting record.
 */
@Injectable()
export class Decisions {
  constructor(private readonly database: Database) {}

  /**
   * Whoever pauses what is paused replaces the decision.
   * @returns the architectures whose dispatchers wait for a signal
   * @throws DatabaseUnavailable
   */
  pause({ suite, arch }: PauseScope, by: Canceller, reason: string): Promise<string[]> {
    return this.database.transaction(async (transaction) => {
      const architectures = await concerned(transaction, arch);
      await transaction.query(statements.PAUSE, [arch, suite, by.userId, reason]);
      await transaction.query(statements.STAND, [architectures, 'pause', suite, null, by.userId, reason]);
      return architectures;
    });
  }

  /**
   * @returns false when exactly this scope was not paused: nothing was changed
   * @throws DatabaseUnavailable
   */
  resume({ suite, arch }: PauseScope, by: Canceller, reason: string | null = null): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const architectures = await concerned(transaction, arch);
      if ((await transaction.query(statements.RESUME, [arch, suite])).length === 0) return false;
      await transaction.query(statements.STAND, [architectures, 'resume', suite, null, by.userId, reason]);
      return true;
    });
  }

  /**
   * Whoever drains a drained worker replaces the decision; nobody looks whether there is such a worker.
   * @returns the architectures whose dispatchers wait for a signal
   * @throws DatabaseUnavailable
   */
  drain(worker: string, by: Canceller, reason: string): Promise<string[]> {
    return this.database.transaction(async (transaction) => {
      const architectures = await concerned(transaction, null);
      await transaction.query(statements.DRAIN, [worker, by.userId, reason]);
      await transaction.query(statements.STAND, [architectures, 'drain', null, worker, by.userId, reason]);
      return architectures;
    });
  }

  /**
   * @returns false when the worker was not drained: nothing was changed
   * @throws DatabaseUnavailable
   */
  undrain(worker: string, by: Canceller, reason: string | null = null): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const architectures = await concerned(transaction, null);
      if ((await transaction.query(statements.UNDRAIN, [worker])).length === 0) return false;
      await transaction.query(statements.STAND, [architectures, 'undrain', null, worker, by.userId, reason]);
      return true;
    });
  }

  /**
   * Whatever dispatchers hold against the worker is to be forgotten.
   * @returns on which architectures it is not sound; or why nothing was changed: nobody knows such a worker, or none has
   * anything against it
   * @throws DatabaseUnavailable
   */
  trust(
    worker: string,
    by: Canceller,
    reason: string | null = null,
  ): Promise<string[] | 'unknown' | 'sound'> {
    return this.database.transaction(async (transaction) => {
      const standings = await transaction.query<{ arch: string; standing: WorkerStanding }>(
        statements.STANDINGS,
        [worker],
      );
      const architectures = standings.flatMap(({ arch, standing }) => (standing === 'sound' ? [] : [arch]));
      if (architectures.length > 0) {
        await transaction.query(statements.STAND, [architectures, 'trust', null, worker, by.userId, reason]);
        return architectures;
      }
      const isKnown =
        standings.length > 0 || (await transaction.query(statements.KNOWN_WORKER, [worker])).length > 0;
      return isKnown ? 'sound' : 'unknown';
    });
  }

  /** The oldest first. @throws DatabaseUnavailable */
  async pauses(): Promise<(Pause & { arch: string | null })[]> {
    return (await this.database.query<DecisionRow & PauseScope>(PAUSES)).map(decisionOf);
  }

  /** The oldest first. @throws DatabaseUnavailable */
  async drains(): Promise<Drain[]> {
    return (await this.database.query<DecisionRow & { worker: string }>(DRAINS)).map(decisionOf);
  }

  /**
   * Gives all waiting runs that match another priority, in steps.
   * @param priority 1 to 10
   * @returns the ids of those that had another one, ascending
   * @throws DatabaseUnavailable when none was changed, else BrokenOff
   */
  reprioritise(
    selection: RunSelection,
    priority: number,
    by: Canceller,
    reason: string | null = null,
  ): Promise<number[]> {
    const parameters = [...selectionParameters(selection), priority];
    return changeInSteps(this.database, {
      candidates: { statement: statements.SELECT_WAITING, parameters },
      lock: { statement: statements.LOCK_WAITING, parameters: [priority] },
      apply: async (transaction, runIds) => {
        await transaction.query(statements.REPRIORITISE, [runIds, priority, by.userId, reason]);
      },
    });
  }
}

/**
 * The architectures that a decision is about. Of one about all of them, those that ever had a dispatcher: none gets its
 * first before this transaction is committed, and whichever comes later finds the decision when it begins.
 */
export async function concerned(transaction: Statements, arch: string | null): Promise<string[]> {
  if (arch !== null) return [arch];
  await transaction.query(statements.LOCK_OWNERS);
  const rows = await transaction.query<{ arch: string }>('select arch from dispatchers order by arch');
  return rows.map((row) => row.arch);
}
