import type { AttemptOutcome, FactKind, RunState, Verdict } from '@proctor/contracts';
import { connectTo } from './database';
import type { Client } from './client';
import type { RunningProctor } from './proctor';
import type { Marks } from './stub';
import { PATIENCE_MS, until } from './until';

/** The record of one run. */
export interface Account {
  runId: number;
  state: RunState;
  verdict: Verdict | null;
  attempt: number;
  /** How each attempt ended, from the first; null for one that has not. */
  outcomes: (AttemptOutcome | null)[];
  facts: FactKind[];
}

const ACCOUNTS = `
  select run_id as "runId", state, verdict, attempt,
    array(select outcome from attempts a where a.run_id = r.run_id order by a.attempt) as outcomes,
    array(select kind from facts f where f.run_id = r.run_id order by fact_id) as facts
  from runs r where run_id = any($1) order by run_id`;

export async function accountsOf(proctor: RunningProctor, runIds: number[]): Promise<Account[]> {
  const database = await connectTo(proctor.databaseUrl);
  try {
    const { rows } = await database.query<Account>(ACCOUNTS, [runIds]);
    return rows;
  } finally {
    await database.end();
  }
}

/**
 * Waits until all runs have passed, and asks three witnesses whether each ended exactly once: the API, the books, and
 * the executions that the stub itself has marked. Each run needs a package of its own, and `append:` that mark.
 * @returns their accounts, in the order of their ids
 */
export async function expectEachPassedOnce(
  { proctor, client, marks }: { proctor: RunningProctor; client: Client; marks: Marks },
  runIds: number[],
  mark = 'executed',
  timeoutMs = PATIENCE_MS,
): Promise<Account[]> {
  const openRuns = new Set(runIds);
  const isOver = async (): Promise<boolean> => {
    for (const { runId, state } of await accountsOf(proctor, [...openRuns]))
      if (state === 'finished') openRuns.delete(runId);
    return openRuns.size === 0;
  };
  if (!(await until(isOver, timeoutMs)))
    throw new Error(`after ${timeoutMs} ms not finished: ${[...openRuns].join()}`);
  const executions = await executionsOf(marks, mark);
  const accounts = await accountsOf(proctor, runIds);
  expect(accounts.map(({ runId }) => runId)).toEqual([...runIds].sort((a, b) => a - b));
  for (const account of accounts) {
    const { runId, attempt, outcomes, facts } = account;
    const run = await client.run(runId);
    expect({ ...account, status: run.status, reported: run.attempt }).toMatchObject({
      status: 'pass',
      reported: attempt,
    });
    expect({ runId, results: outcomes.filter((outcome) => outcome === 'finished').length }).toEqual({
      runId,
      results: 1,
    });
    expect([outcomes.length, outcomes.at(-1), outcomes.includes(null)]).toEqual([attempt, 'finished', false]);
    expect({ runId, ends: facts.filter((kind) => kind === 'finished').length }).toEqual({ runId, ends: 1 });
    expect([facts[0], facts.at(-1)]).toEqual(['requested', 'finished']);
    const executed = executions.get(run.package) ?? 0;
    // An attempt that was lost may not have come as far as its mark.
    expect(executed).toBeGreaterThanOrEqual(1);
    expect({ runId, tooOften: executed > attempt }).toEqual({ runId, tooOften: false });
  }
  return accounts;
}

/** Package → how often its test was executed, by the stub's own word. */
async function executionsOf(marks: Marks, mark: string): Promise<Map<string, number>> {
  const executions = new Map<string, number>();
  for (const line of await marks.lines(mark)) {
    const [name = ''] = line.split(' ');
    executions.set(name, (executions.get(name) ?? 0) + 1);
  }
  return executions;
}
