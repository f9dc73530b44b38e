import { isRunId } from '@proctor/contracts';
import { bigint, type Statement, statement, text } from '../kit/statement';

/**
 * A selection of runs: those that match all given fields. The caller ensures that at least one field other
 * than `keyId` is given.
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

/** Ids of runs that a name lists; the others are counted. */
const IDS_NAMED_MAX = 5;

/** A selection in words. */
export function selectionName({ runIds, package: name, trigger, suite, arch, keyId }: RunSelection): string {
  const parts = [
    runIds && runsName(runIds),
    name !== undefined && `package ${name}`,
    suite !== undefined && `suite ${suite}`,
    arch !== undefined && `architecture ${arch}`,
    trigger !== undefined && `trigger ${trigger}`,
    keyId !== undefined && `of key ${keyId}`,
  ];
  return parts.filter(Boolean).join(', ');
}

/** Runs in words: `run 5`, `runs 5, 6 and 80 more`. */
export function runsName(runIds: number[]): string {
  const names = runIds.slice(0, IDS_NAMED_MAX).join(', ');
  const others = runIds.length - IDS_NAMED_MAX;
  return `run${runIds.length === 1 ? '' : 's'} ${names}` + (others > 0 ? ` and ${others} more` : '');
}

/**
 * The ids of the runs `r` that are selected, ascending.
 * @param condition on `r`; its parameters begin at $7
 */
export function selectRuns(condition: string): Statement<{ runId: number }> {
  return statement(
    { runId: bigint },
    `select r.run_id as "runId" from runs r where ${condition} and ${SELECTED} order by r.run_id`,
  );
}

/** The number of selected runs of a suite queue. */
export interface SelectedCount {
  suite: string;
  arch: string;
  waiting: number;
  /** Leased or running. */
  executed: number;
}

/** How many unfinished runs `r` are selected, by suite and architecture. @param condition as of selectRuns */
export function countRuns(condition: string): Statement<SelectedCount> {
  return statement(
    { suite: text, arch: text, waiting: bigint, executed: bigint },
    `
    select r.suite, r.arch, count(*) filter (where r.state = 'queued') as waiting,
      count(*) filter (where r.state <> 'queued') as executed
    from runs r where ${condition} and ${SELECTED} group by r.suite, r.arch order by r.suite, r.arch`,
  );
}

const SELECTED = `($1::bigint[] is null or r.run_id = any($1::bigint[]))
      and ($2::text is null or r.package = $2)
      and ($3::text is null or r.trigger = $3)
      and ($4::text is null or r.suite = $4)
      and ($5::text is null or r.arch = $5)
      and ($6::integer is null or r.api_key_id = $6)`;

/** The parameters $1 to $6 of `selectRuns`. */
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
 * A statement that locks those of the runs $1 that still meet the condition, in ascending order, as every
 * transaction must that waits for several rows. A row that another transaction has locked is checked again after the wait.
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
