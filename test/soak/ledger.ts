import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { resultMessage, STUB_VARIANT } from './plan';
import type { FaultParts } from './faults/fault';
import type { Follower } from './follower';
import type { Submitter } from './submitter';

/** What the soak counted, and everything that should not be. */
export interface Account {
  accepted: number;
  /** Accepted, and gone with a restore of the database. */
  forgotten: number;
  finished: number;
  /** As the executors and the stub wrote them down themselves. */
  executions: number;
  /** Attempts that ended without a result: each costs one more execution. */
  attemptsLost: number;
  violations: string[];
}

interface BookedRun {
  runId: number;
  package: string;
  variant: string;
  state: string;
  verdict: string;
  message: string;
  attempt: number;
  results: number;
  /** Attempts that were granted after the one that ended it. */
  later: number;
  facts: string[];
}

/** Compares what clients have received, what the books say and what was executed. */
export async function settle(
  databaseUrl: string,
  executionsPath: string,
  { submitter, follower, undone }: Pick<FaultParts, 'submitter' | 'follower' | 'undone'>,
): Promise<Account> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows: runs } = await client.query<BookedRun>(RUNS);
    const { rows: granted } = await client.query<{ attempt: string; executor: string }>(GRANTED);
    const executed = await executions(executionsPath);
    const violations = [
      ...ofAcceptance(runs, submitter),
      ...ofEnds(runs, follower),
      ...ofExecutions(
        executed.filter((line) => !undone.has(Number(line.split(' ')[0]))),
        new Map(granted.map(({ attempt, executor }) => [attempt, executor])),
      ),
    ];
    const { rows } = await client.query<{ lost: number }>(LOST);
    return {
      accepted: submitter.accepted.size,
      forgotten: submitter.forgotten,
      finished: runs.filter(({ state }) => state === 'finished').length,
      executions: executed.length + (await stubExecutions(executionsPath)),
      attemptsLost: rows[0]?.lost ?? 0,
      violations,
    };
  } finally {
    await client.end();
  }
}

function ofAcceptance(runs: BookedRun[], { accepted }: Submitter): string[] {
  const booked = new Set(runs.map(({ runId }) => runId));
  return [
    ...[...accepted].filter((id) => !booked.has(id)).map((id) => `run ${id}: accepted, but not in the books`),
    ...[...booked]
      .filter((id) => !accepted.has(id))
      .map((id) => `run ${id}: in the books, but not asked for`),
  ];
}

function ofEnds(runs: BookedRun[], { ended, changed }: Follower): string[] {
  const wrong = runs.flatMap((run) => {
    const { runId, variant, state, verdict, message, attempt, results, later, facts } = run;
    const title = `run ${runId}`;
    if (state !== 'finished') return [`${title}: lost, it is ${state}`];
    const finishes = facts.filter((kind) => kind === 'finished').length;
    return [
      ...(results === 1 ? [] : [`${title}: ${results} attempts ended it`]),
      ...(finishes === 1 ? [] : [`${title}: ${finishes} facts of its end`]),
      ...(verdict === 'pass' ? [] : [`${title}: ${verdict}, ${message}`]),
      ...(later === 0 ? [] : [`${title}: executed again after its result was recorded`]),
      ...(variant === STUB_VARIANT || message === resultMessage(run)
        ? []
        : [`${title}: attempt ${attempt} has another's result: ${message}`]),
      ...(ended.get(runId) === `${verdict} in attempt ${attempt}: ${message}`
        ? []
        : [`${title}: its client has received ${ended.get(runId) ?? 'nothing'}`]),
    ];
  });
  return [...wrong, ...changed];
}

/** Each line of the executors must be of an attempt that was granted to that very slot, and the only one of it. */
function ofExecutions(executed: string[], granted: Map<string, string>): string[] {
  const names = new Set<string>();
  return executed.flatMap((line) => {
    const [runId, attempt, ...executor] = line.split(' ');
    const name = `${runId} ${attempt}`;
    if (names.has(name)) return [`run ${name}: executed twice under one attempt`];
    names.add(name);
    const owner = granted.get(name);
    return owner === executor.join(' ')
      ? []
      : [`run ${name}: executed by ${executor.join(' ')}, granted to ${owner}`];
  });
}

async function executions(path: string): Promise<string[]> {
  const files = (await readdir(path)).filter((name) => name !== STUB_VARIANT);
  const texts = await Promise.all(files.map((name) => readFile(join(path, name), 'utf8')));
  return texts.flatMap((text) => text.split('\n').filter((line) => line !== ''));
}

async function stubExecutions(path: string): Promise<number> {
  if (!(await readdir(path)).includes(STUB_VARIANT)) return 0;
  return (await readFile(join(path, STUB_VARIANT), 'utf8')).trimEnd().split('\n').length;
}

const RUNS = `
  select r.run_id::integer as "runId", r.package, r.variant, r.state, r.verdict, r.message, r.attempt,
    (select count(*)::integer from attempts a where a.run_id = r.run_id and a.outcome = 'finished') as results,
    (select count(*)::integer from attempts a where a.run_id = r.run_id and a.attempt >
      (select min(f.attempt) from attempts f where f.run_id = r.run_id and f.outcome = 'finished')) as later,
    (select array_agg(f.kind) from facts f where f.run_id = r.run_id) as facts
  from runs r`;

const GRANTED = `
  select run_id || ' ' || attempt as attempt, worker || ' ' || incarnation || ' ' || slot as executor from attempts`;

const LOST = `select count(*)::integer as lost from attempts where outcome is distinct from 'finished'`;
