import type { Database, Statements } from './database';
import { requestWait } from './request-wait';
import type { Statement } from './statement';
import { DatabaseUnavailable } from './unavailable';

/** A change of many runs that broke off: what is done stays done, and asking again goes on with the rest. */
export class BrokenOff extends DatabaseUnavailable {
  /** @param done ids of the runs that were changed, ascending; when `changed` is unknown, there may be more */
  constructor(
    readonly done: number[],
    error: DatabaseUnavailable,
  ) {
    super(error.cause, error.changed);
    this.message += `; ${done.length} runs were changed before`;
  }
}

/** A statement that selects runs. */
interface RunIds {
  statement: Statement<{ runId: number }>;
  parameters: unknown[];
}

/** Which runs are changed, and how. */
export interface RunsChange {
  /** Ids of all candidates. */
  candidates: RunIds;
  /** Locks those of the runs $1 that are still to be changed. */
  lock: RunIds;
  /** Changes runs that are locked. */
  apply(transaction: Statements, runIds: number[]): Promise<void>;
}

/**
 * Changes runs in transactions of a bounded number of rows: no other transaction waits long for a row, and however many there
 * are, no statement takes too long. Runs that come meanwhile are not among them.
 * @returns the ids of those that were changed, ascending
 * @throws DatabaseUnavailable when none was changed, else BrokenOff
 */
export async function changeInSteps(database: Database, change: RunsChange): Promise<number[]> {
  const { candidates } = change;
  const rows = await database.query(candidates.statement, candidates.parameters);
  const { rowsPerTransactionMax } = database.limits;
  const done: number[] = [];
  for (let place = 0; place < rows.length; place += rowsPerTransactionMax) {
    const runIds = rows.slice(place, place + rowsPerTransactionMax).map((row) => row.runId);
    const changed = await step(database, change, runIds).catch((error: unknown) => {
      throw done.length > 0 && error instanceof DatabaseUnavailable ? new BrokenOff(done, error) : error;
    });
    for (const runId of changed) done.push(runId);
    requestWait()?.restart();
  }
  return done;
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
