import { Injectable } from '@nestjs/common';
import { audit, auditOfSteps } from '../people/audit-log';
import { Database, type Statements } from '../kit/database';
import { endRuns } from './early-ends';
import { recordUpdateTime } from '../kit/horizon';
import {
  countRuns,
  lockRuns,
  runsName,
  type RunSelection,
  type SelectedCount,
  selectionName,
  selectionParameters,
  selectRuns,
} from './run-selection';
import { boolean, statement } from '../kit/statement';
import { changeInSteps } from '../kit/steps';

/** The user who ends a run; the name is shown to all who may see the run. */
export interface Canceller {
  userId: number;
  userName: string;
  /** The network address of the user. */
  address?: string | undefined;
}

/** `finished`: the run had already ended; nothing was changed. */
export type Cancelled = 'cancelled' | 'finished' | 'unknown';

/** Ends runs before they end by themselves. */
@Injectable()
export class Cancellations {
  constructor(private readonly database: Database) {}

  /**
   * Cancels a run. When this resolves, the end of the run and of its attempt is committed, with an order for the
   * dispatcher. The caller checks whether the user may cancel it.
   * @param reason for people, shown after the name
   */
  cancel(runId: number, by: Canceller, reason?: string): Promise<Cancelled> {
    return this.database.transaction(async (transaction) => {
      const [run] = await transaction.query(LOCK, [runId]);
      if (!run) return 'unknown';
      if (run.isFinished) return 'finished';
      await end(transaction, [runId], by, reason);
      const deed = { action: 'runs-cancelled', subject: runsName([runId]), detail: reason, runs: 1 } as const;
      await audit(transaction, by, deed);
      return 'cancelled';
    });
  }

  /** The number of runs that cancelMatching would cancel. */
  countMatching(selection: RunSelection): Promise<SelectedCount[]> {
    return this.database.query(COUNT_UNFINISHED, selectionParameters(selection));
  }

  /**
   * Cancels all unfinished runs that match, in steps.
   * @returns their ids, ascending
   * @throws DatabaseUnavailable if no run was cancelled, otherwise BrokenOff
   */
  cancelMatching(selection: RunSelection, by: Canceller, reason?: string): Promise<number[]> {
    const subject = selectionName(selection);
    const audited = auditOfSteps(by, { action: 'runs-cancelled', subject, detail: reason });
    return changeInSteps(this.database, {
      candidates: { statement: SELECT_UNFINISHED, parameters: selectionParameters(selection) },
      lock: { statement: LOCK_UNFINISHED, parameters: [] },
      apply: async (transaction, runIds) => {
        await end(transaction, runIds, by, reason);
        await audited(transaction, runIds.length);
      },
    });
  }
}

async function end(transaction: Statements, runIds: number[], by: Canceller, reason?: string): Promise<void> {
  const message = `cancelled by ${by.userName}` + (reason === undefined ? '' : `: ${reason}`);
  await recordUpdateTime(transaction);
  await transaction.query(CANCEL, [runIds, message, by.userId, reason ?? null]);
}

const LOCK = statement(
  { isFinished: boolean },
  `select state = 'finished' as "isFinished" from runs where run_id = $1 for no key update`,
);

const UNFINISHED = `r.state <> 'finished'`;
const SELECT_UNFINISHED = selectRuns(UNFINISHED);
const COUNT_UNFINISHED = countRuns(UNFINISHED);
const LOCK_UNFINISHED = lockRuns(UNFINISHED);

const CANCEL = endRuns(
  'cancelled',
  `select run_id, $2::text as message, $3::integer as actor_id, $4::text as reason, null::bigint as superseded_by
    from unnest($1::bigint[]) as run_id`,
);
