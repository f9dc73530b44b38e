import { isRunId } from '@proctor/contracts';
import { bigint, type Statement, statement } from './statement';

/**
 * Which runs a user means: those that match everything that is named. At least one other than `keyId` is to be named,
 * which the caller sees to.
 */
export interface RunSelection {
  runIds?: number[];
  package?: string;
  trigger?: string;
  suite?: string;
  arch?: string;
  /** Only runs that this API key may read. */
  keyId?: number;
}

/**
 * The ids of the runs `r` that are selected, ascending.
 * @param condition on `r`; its parameters begin at $7
 */
export function selectRuns(condition: string): Statement<{ runId: number }> {
  return statement(
    { runId: bigint },
    `
    select r.run_id as "runId" from runs r
    where ${condition}
      and ($1::bigint[] is null or r.run_id = any($1::bigint[]))
      and ($2::text is null or r.package = $2)
      and ($3::text is null or r.trigger = $3)
      and ($4::text is null or r.suite = $4)
      and ($5::text is null or r.arch = $5)
      and ($6::integer is null or r.api_key_id = $6)
    order by r.run_id`,
  );
}

/** $1 to $6 of `selectRuns`. */
export function selectionParameters(selection: RunSelection): unknown[] {
  return [
    selection.runIds?.filter(isRunId) ?? null,
    selection.package ?? null,
    selection.trigger ?? null,
    selection.suite ?? null,
    selection.arch ?? null,
    selection.keyId ?? null,
  ];
}

/**
 * Those of the runs $1 that are still as the condition says, ascending, locked in that order, as every transaction does that
 * waits for several rows. A row that is locked is waited for and looked at again.
 * @param condition on `r`; its parameters begin at $2
 */
export function lockRuns(condition: string): Statement<{ runId: number }> {
  return statement(
    { runId: bigint },
    `
    select r.run_id as "runId" from runs r
    where r.run_id = any($1::bigint[]) and ${condition}
    order by r.run_id for no key update`,
  );
}
