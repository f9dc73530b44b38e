import type { Write } from '@proctor/dispatch';
import { bigint, type ColumnsOf, propertiesOf, type Statement, statement } from '../kit/statement';

export type WriteOf<Kind extends Write['kind']> = Extract<Write, { kind: Kind }>;

/** The fields of a kind of write, without its run. */
type FieldsOf<Kind extends Write['kind']> = Omit<WriteOf<Kind>, 'kind' | 'runId'>;

/**
 * The first part of every statement: the writes of $1 whose run fulfils the fence, with the run locked. Each row is
 * found by its id alone, behind `offset 0`. Otherwise, without statistics for the table (up to a minute after a flood
 * began), the planner would read all unfinished runs for each write.
 */
export function fencedWrites<Kind extends Write['kind'], More = unknown>(
  columns: ColumnsOf<FieldsOf<Kind> & More>,
  fence: string,
): string {
  return `
    expected as materialized (
      select w.*, r.run_id, r.arch, r.suite, r.package, r.is_private, r.started_at, r.finished_at
      from jsonb_to_recordset($1::jsonb) as w(${propertiesOf({ runId: bigint, ...columns })}) cross join lateral (
        select run_id, arch, suite, package, is_private, state, attempt, cancelled, started_at, finished_at
        from runs where run_id = w."runId" offset 0 for no key update
      ) r
      where r.arch = $2 and ${fence}
    )`;
}

/** Outcomes of attempts that ended because no report came. */
export const EXPIRED_OR_LOST = `('expired', 'lost')`;

/** A statement that returns the ids of the runs whose writes were made. */
export function aboutRuns(sql: string): Statement<{ id: number }> {
  return statement({ id: bigint }, sql).asPrepared;
}
