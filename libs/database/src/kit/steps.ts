import type { Database, Statements } from './database';
import { currentWait } from './request-wait';
import type { Statement } from './statement';
import { DatabaseUnavailable } from './unavailable';

/** A change of many runs that failed half-way: finished steps stay, and the same request continues with the rest. */
export class BrokenOff extends DatabaseUnavailable {
  /** @param changedIds ids of the runs that were changed, ascending; when `changed` is unknown, there may be more */
  constructor(
    readonly changedIds: number[],
    error: DatabaseUnavailable,
  ) {
    super(error.cause, error.extent);
    this.message += `; ${changedIds.length} runs were changed before`;
  }
}

/** A statement that selects runs. */
interface RunIds {
  statement: Statement<{ runId: number }>;
  parameters: unknown[];
}

/** A change of many runs. */
interface RunsChange {
  /** Ids of all candidates. */
  candidates: RunIds;
  /** Locks the runs among $1 that still have to be changed. */
  lock: RunIds;
  /** Changes the locked runs. */
  apply(transaction: Statements, runIds: number[]): Promise<void>;
}

/**
 * Changes runs in transactions with a limited number of rows: no other transaction waits long for a row, and no
 * statement takes too long, however many runs there are. Runs that arrive meanwhile are not included.
 * @returns the ids of the changed runs, ascending
 * @throws DatabaseUnavailable if no run was changed, otherwise BrokenOff
 */
export async function changeInSteps(database: Database, change: RunsChange): Promise<number[]> {
  const { candidates } = change;
  const rows = await database.query(candidates.statement, candidates.parameters);
  const { rowsPerTransactionMax } = database.limits;
  const changedIds: number[] = [];
  for (let start = 0; start < rows.length; start += rowsPerTransactionMax) {
    const runIds = rows.slice(start, start + rowsPerTransactionMax).map((row) => row.runId);
    const runIdsOfStep = await step(database, change, runIds).catch((error: unknown) => {
      throw changedIds.length > 0 && error instanceof DatabaseUnavailable
        ? new BrokenOff(changedIds, error)
        : error;
    });
    for (const runId of runIdsOfStep) changedIds.push(runId);
    currentWait()?.restart();
  }
  return changedIds;
}

function step(database: Database, change: RunsChange, candidates: number[]): Promise<number[]> {
  const { lock } = change;
  return database.transaction(async (transaction) => {
    const rows = await transaction.query(lock.statement, [candidates, ...lock.parameters]);
    const runIds = rows.map((row) => row.runId);
    if (runIds.length > 0) await change.apply(transaction, runIds);
    return runIds;
  });
}
