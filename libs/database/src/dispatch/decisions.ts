import { Injectable } from '@nestjs/common';
import { type DecidedPause, type PauseScope, SCOPE_FIELDS, scopeName } from '@proctor/contracts';
import { audit, auditOfSteps } from '../people/audit-log';
import type { Canceller } from '../runs/cancellations';
import { Database, type Statements } from '../kit/database';
import { allDrains, allPauses, type DrainedWorker } from './decided';
import * as statements from './decision-statements';
import { recordUpdateTime } from '../kit/horizon';
import { DrainRow } from '../rows';
import {
  type RunSelection,
  type SelectedCount,
  selectionName,
  selectionParameters,
} from '../runs/run-selection';
import { changeInSteps } from '../kit/steps';

/**
 * The decisions of people about suite queues, workers and waiting runs. A decision is committed when its promise
 * resolves, with an order to every dispatcher that it concerns. The orders are also its permanent record.
 */
@Injectable()
export class Decisions {
  constructor(private readonly database: Database) {}

  /**
   * Pauses a scope; replaces an earlier pause of the same scope.
   * @returns the architectures whose dispatchers wait for a signal
   */
  pause(scope: PauseScope, by: Canceller, reason: string): Promise<string[]> {
    return this.database.transaction(async (transaction) => {
      const architectures = await architecturesOf(transaction, scope.arch);
      await transaction.query(statements.PAUSE, [by.userId, reason, ...valuesOf(scope)]);
      await transaction.query(statements.STAND, [
        architectures,
        'pause',
        scope.suite,
        null,
        by.userId,
        reason,
      ]);
      await audit(transaction, by, {
        action: 'queue-paused',
        subject: scopeName(scope),
        detail: reason,
      });
      return architectures;
    });
  }

  /** @returns false if exactly this scope was not paused; nothing was changed then */
  resume(scope: PauseScope, by: Canceller, reason: string | null = null): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const architectures = await architecturesOf(transaction, scope.arch);
      if ((await transaction.query(statements.RESUME, valuesOf(scope))).length === 0) return false;
      await transaction.query(statements.STAND, [
        architectures,
        'resume',
        scope.suite,
        null,
        by.userId,
        reason,
      ]);
      await audit(transaction, by, {
        action: 'queue-resumed',
        subject: scopeName(scope),
        detail: reason,
      });
      return true;
    });
  }

  /**
   * Drains a worker; replaces an earlier drain of it. Does not check that the worker exists.
   * @param deadlineSeconds when the worker hands back its running tests; null: it may finish all of them
   * @returns the architectures whose dispatchers wait for a signal
   */
  drain(
    worker: string,
    by: Canceller,
    reason: string,
    deadlineSeconds: number | null = null,
  ): Promise<string[]> {
    return this.database.transaction(async (transaction) => {
      const architectures = await architecturesOf(transaction, null);
      const deadline =
        deadlineSeconds === null
          ? null
          : () => `clock_timestamp() + make_interval(secs => ${Number(deadlineSeconds)})`;
      const drain = { worker, actorId: by.userId, reason, since: () => 'clock_timestamp()', deadline };
      await transaction.entities((manager) => manager.upsert(DrainRow, drain, ['worker']));
      await transaction.query(statements.STAND, [architectures, 'drain', null, worker, by.userId, reason]);
      await audit(transaction, by, { action: 'worker-drained', subject: `worker ${worker}`, detail: reason });
      return architectures;
    });
  }

  /** @returns false if the worker was not drained; nothing was changed then */
  undrain(worker: string, by: Canceller, reason: string | null = null): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const architectures = await architecturesOf(transaction, null);
      const { affected } = await transaction.entities((manager) => manager.delete(DrainRow, { worker }));
      if (affected === 0) return false;
      await transaction.query(statements.STAND, [architectures, 'undrain', null, worker, by.userId, reason]);
      await audit(transaction, by, {
        action: 'worker-undrained',
        subject: `worker ${worker}`,
        detail: reason,
      });
      return true;
    });
  }

  /**
   * Lets dispatchers trust the worker again, whatever they have recorded against it.
   * @returns the architectures on which it is not sound; or why nothing was changed: `unknown` if there is no such
   * worker, `sound` if no dispatcher has anything against it
   */
  trust(
    worker: string,
    by: Canceller,
    reason: string | null = null,
  ): Promise<string[] | 'unknown' | 'sound'> {
    return this.database.transaction(async (transaction) => {
      const standings = await transaction.query(statements.STANDINGS, [worker]);
      const architectures = standings.flatMap(({ arch, standing }) => (standing === 'sound' ? [] : [arch]));
      if (architectures.length > 0) {
        await transaction.query(statements.STAND, [architectures, 'trust', null, worker, by.userId, reason]);
        await audit(transaction, by, {
          action: 'worker-trusted',
          subject: `worker ${worker}`,
          detail: reason,
        });
        return architectures;
      }
      if (standings.length > 0) return 'sound';
      const [row] = await transaction.query(statements.KNOWN_WORKER, [worker]);
      return row!.isKnown ? 'sound' : 'unknown';
    });
  }

  /** Quarantines the worker on all its architectures. @returns these architectures; empty if there is no such worker */
  quarantine(worker: string, by: Canceller, reason: string): Promise<string[]> {
    return this.database.transaction(async (transaction) => {
      const [row] = await transaction.query(statements.ARCHITECTURES_OF_WORKER, [worker]);
      if (!row) return [];
      const { architectures } = row;
      await transaction.query(statements.STAND, [
        architectures,
        'quarantine',
        null,
        worker,
        by.userId,
        reason,
      ]);
      const subject = `worker ${worker}`;
      await audit(transaction, by, { action: 'worker-quarantined', subject, detail: reason });
      return architectures;
    });
  }

  /** The oldest first. */
  pauses(): Promise<DecidedPause[]> {
    return this.database.entities(allPauses);
  }

  /** The oldest first. */
  drains(): Promise<DrainedWorker[]> {
    return this.database.entities(allDrains);
  }

  /** The number of runs that `reprioritise` would change. */
  countReprioritised(selection: RunSelection, priority: number): Promise<SelectedCount[]> {
    return this.database.query(statements.COUNT_WAITING, [...selectionParameters(selection), priority]);
  }

  /**
   * Sets the priority of all waiting runs that match, in steps.
   * @param priority 1 to 10
   * @returns the ids of the runs that had another priority, ascending
   * @throws DatabaseUnavailable if no run was changed, otherwise BrokenOff
   */
  reprioritise(
    selection: RunSelection,
    priority: number,
    by: Canceller,
    reason: string | null = null,
  ): Promise<number[]> {
    const parameters = [...selectionParameters(selection), priority];
    const audited = auditOfSteps(by, {
      action: 'runs-reprioritised',
      subject: selectionName(selection),
      detail: `to ${priority}` + (reason === null ? '' : `: ${reason}`),
    });
    return changeInSteps(this.database, {
      candidates: { statement: statements.SELECT_WAITING, parameters },
      lock: { statement: statements.LOCK_WAITING, parameters: [priority] },
      apply: async (transaction, runIds) => {
        await recordUpdateTime(transaction);
        await transaction.query(statements.REPRIORITISE, [runIds, priority, by.userId, reason]);
        await audited(transaction, runIds.length);
      },
    });
  }
}

/** The fields of the scope, in the order of the parameters of the statements. */
function valuesOf(scope: PauseScope): (string | null)[] {
  return SCOPE_FIELDS.map((field) => scope[field]);
}

/**
 * The architectures that a decision is about. A decision about all of them concerns those that ever had a dispatcher:
 * no architecture gets its first dispatcher before this transaction is committed, and a later dispatcher finds the
 * decision when it starts.
 */
export async function architecturesOf(transaction: Statements, arch: string | null): Promise<string[]> {
  if (arch !== null) return [arch];
  await transaction.query(statements.LOCK_OWNERS);
  const rows = await transaction.query(statements.OWNED_ARCHITECTURES);
  return rows.map((row) => row.arch);
}
