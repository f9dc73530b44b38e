import { Injectable } from '@nestjs/common';
import type { EventPage, EventSource, RunEvent } from '@proctor/events';
import { Database, type Statements } from '../kit/database';
import { FACT_COLUMNS } from './facts';
import { horizon, raiseHorizon } from '../kit/horizon';
import { without } from '../kit/columns-of';
import {
  bigint,
  boolean,
  type ColumnsOf,
  integer,
  selectList,
  statement,
  text,
  time,
} from '../kit/statement';

/** A longer trigger is omitted: events are small and have many readers. */
const TRIGGER_LENGTH_MAX = 2_000;

/** The facts of all runs, with data of the runs. Private runs are included: the caller checks who may read which. */
@Injectable()
export class RunEvents implements EventSource {
  constructor(private readonly database: Database) {}

  start(second: number): Promise<{ horizon: number; canRise: boolean; first: number | null }> {
    return this.database.inOrder(async (statements) => {
      const [currentHorizon, first] = await Promise.all([
        horizon(statements),
        firstEvent(statements, second),
      ]);
      return { horizon: currentHorizon.second, canRise: currentHorizon.canRise, first };
    });
  }

  page(query: EventPage): Promise<RunEvent[]> {
    return eventPage(this.database, query);
  }

  raise(): Promise<void> {
    return raiseHorizon(this.database);
  }
}

/** The lowest fact id of the events from a second on; null if there are none. */
export async function firstEvent(statements: Statements, second: number): Promise<number | null> {
  const [row] = await statements.query(FIRST, [second]);
  return row!.first;
}

export function eventPage(
  statements: Statements,
  { from, before, after, knownIds, limit }: EventPage,
): Promise<RunEvent[]> {
  return statements.query(PAGE, [from, before, after, knownIds, limit]);
}

/** The columns of an event: of a row `f` of `facts`, the row `r` of its run, and the row `u` of the run's requestor. */
export const EVENT_COLUMNS = {
  ...without(FACT_COLUMNS, 'actor', 'reason'),
  place: integer.from(
    '(select count(*) from facts e where e.run_id = f.run_id and e.fact_id <= f.fact_id)::integer',
  ),
  package: text.from('r.package'),
  trigger: text.orNull.from(`case when length(r.trigger) <= ${TRIGGER_LENGTH_MAX} then r.trigger end`),
  createdAt: time.from('r.created_at'),
  isPrivate: boolean.from('r.is_private'),
  keyId: integer.from('r.api_key_id'),
  requestor: text.from('u.name'),
} satisfies ColumnsOf<RunEvent>;

export const EVENT_RUNS = 'join runs r using (run_id) join users u on u.user_id = r.requestor_id';

/** `offset 0` is needed: to find the lowest id, PostgreSQL would otherwise read all ids from the first on. */
const FIRST = statement(
  { first: bigint.orNull },
  `select min(fact_id) as first from (select fact_id from facts where at >= to_timestamp($1) offset 0) later`,
);

/** `+ interval '0'` makes PostgreSQL use the index of ids: no index has a sum of times. */
const PAGE = statement(
  EVENT_COLUMNS,
  `
  select ${selectList(EVENT_COLUMNS, 'f')}
  from (
    select * from facts
    where fact_id > $3 and at + interval '0' >= to_timestamp($1)
      and ($2::float8 is null or at + interval '0' < to_timestamp($2)) and fact_id <> all($4::bigint[])
    order by fact_id limit $5
  ) f ${EVENT_RUNS} order by f.fact_id`,
);
