import { Injectable } from '@nestjs/common';
import { audit, auditOfSteps } from '../people/audit-log';
import { Database, type Statements } from '../kit/database';
import { recordFacts, userActor } from './facts';
import { recordUpdateTime, CLOCK } from '../kit/horizon';
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
import { boolean, command, statement } from '../kit/statement';
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

const CANCEL = command(`
  with ${CLOCK},
  ended as (
    update runs r set state = 'finished', verdict = 'tmpfail', cancelled = true, message = $2, version = 'n/a',
      duration_seconds = case when r.state = 'running'
        then greatest(0, floor(extract(epoch from clock.now - r.started_at)))::integer end,
      finished_at = clock.now, updated_at = clock.updated
    from unnest($1::bigint[]) as selected(run_id), clock where r.run_id = selected.run_id
    returning r.run_id, r.arch, r.suite, r.attempt
  ),
  attempt as (
    update attempts a set ended_at = clock.now, outcome = 'cancelled', reason = $2
    from ended, clock where a.run_id = ended.run_id and a.attempt = ended.attempt and a.ended_at is null
  ),
  new_facts as (${recordFacts({
    kind: 'cancelled',
    state: 'finished',
    attempt: 'f.attempt',
    actor: userActor('$3'),
    reason: '$4',
    verdict: `'tmpfail'`,
    from: 'ended f, clock',
  })})
  insert into orders (arch, kind, run_id, actor_id, reason, created_at)
  select arch, 'cancel', run_id, $3, $4, clock.now from ended, clock order by run_id`);
