import { Injectable } from '@nestjs/common';
import { Database } from './database';
import { announceUpdate, CLOCK } from './horizon';

/** Who ends a run; the name is told to everybody who may see the run. */
export interface Canceller {
  userId: number;
  userName: string;
}

/** `finished`: it had ended before; nothing was changed. */
export type Cancelled = 'cancelled' | 'finished' | 'unknown';

/** Ends runs before they end by themselves. */
@Injectable()
export class Cancellations {
  constructor(private readonly database: Database) {}

  /**
   * The run and its attempt are over in the books when this resolves, and an order waits for the dispatcher. Whether
   * the user may cancel it is for the caller to know.
   * @param reason for people, shown behind the name
   * @throws DatabaseUnavailable
   */
  cancel(runId: number, by: Canceller, reason?: string): Promise<Cancelled> {
    return this.database.transaction(async (transaction) => {
      const [run] = await transaction.query<{ isFinished: boolean }>(LOCK, [runId]);
      if (!run) return 'unknown';
      if (run.isFinished) return 'finished';
      const message = `cancelled by ${by.userName}` + (reason === undefined ? '' : `: ${reason}`);
      await announceUpdate(transaction);
      await transaction.query(CANCEL, [runId, message, by.userId, reason ?? null]);
      return 'cancelled';
    });
  }
}

const LOCK = `select state = 'finished' as "isFinished" from runs where run_id = $1 for no key update`;

const CANCEL = `
  with ${CLOCK},
  ended as (
    update runs r set state = 'finished', verdict = 'tmpfail', cancelled = true, message = $2, version = 'n/a',
      duration_seconds = case when r.state = 'running'
        then greatest(0, floor(extract(epoch from clock.now - r.started_at)))::integer end,
      finished_at = clock.now, updated_at = clock.now
    from clock where r.run_id = $1
    returning r.run_id, r.arch, r.attempt
  ),
  attempt as (
    update attempts a set ended_at = clock.now, outcome = 'cancelled', reason = $2
    from ended, clock where a.run_id = ended.run_id and a.attempt = ended.attempt and a.ended_at is null
  )
  insert into orders (arch, kind, run_id, actor_id, reason, created_at)
  select arch, 'cancel', run_id, $3, $4, clock.now from ended, clock`;
