import type { Write } from '@proctor/dispatch';
import { DispatcherState } from '@libs/dispatch/src';
import type { MemoryBooks, RunRow } from '../memory-books';

type Grant = Extract<Write, { kind: 'grant' }>;
type RunWrite = Extract<Write, { runId: number }>;

/** What a dispatcher knew when it granted a run. */
interface Known {
  /** Its term: it keeps its list of workers as long as that lasts. */
  term: object;
  /** Its unfinished runs. */
  runs: ReadonlySet<number>;
  /** Its unfinished runs of suspected packages. */
  suspects: ReadonlySet<number>;
  /** Whether it was a suspect's turn at the worker. */
  isTurn: boolean;
}

/** The commit comes later, when the dispatcher may know more. */
const knownAt = new WeakMap<Write, Known>();

const granting = Object.getOwnPropertyDescriptor(DispatcherState.prototype, 'grant')!
  .value as DispatcherState['grant'];
DispatcherState.prototype.grant = function (this: DispatcherState, run, slot, now) {
  const { suspects, suspectTurns, runs } = this;
  const facts = {
    term: this.workers,
    runs: new Set(runs.keys()),
    suspects: new Set([...runs.values()].filter((one) => suspects.has(one)).map(({ runId }) => runId)),
    isTurn: suspectTurns.isDue(slot.worker, now),
  };
  const write = granting.call(this, run, slot, now);
  knownAt.set(write, facts);
  return write;
};

/**
 * Which packages may be suspected: those that failed and have had no result since. Others may be granted before their runs,
 * whatever the priority, at a worker where a suspect has had its turn.
 */
export class Passing {
  /** Architecture and package; for private runs the requestor, too. */
  private readonly failures = new Set<string>();
  /** Run → its architecture and package: results that dispatchers may know, though the row does not have them. */
  private readonly reported = new Map<number, string>();
  /** OwnershipTerm → of what was suspected at a grant, what has had no result since. */
  private readonly suspected = new Map<object, Set<string>>();
  /** Architecture, epoch and worker. */
  private readonly turns = new Set<string>();

  /** Gets each write in its order. */
  written(write: RunWrite, row: RunRow, epoch: number): void {
    const key = keyOf(row);
    if (write.kind === 'requeue' && write.outcome !== 'returned') this.failures.add(key);
    const hasResult =
      write.kind === 'finish' && write.attemptOutcome === 'finished' && write.outcome.verdict !== 'tmpfail';
    if (hasResult) this.failures.delete(key);
    else if (write.kind === 'finish') this.failures.add(key);
    // A dispatcher learns from a report also when its commit fails, and then the run may be returned.
    const hadReport =
      write.kind === 'requeue' && write.outcome === 'returned' && this.reported.has(row.runId);
    // A correction takes back the failure of one attempt only.
    if (hasResult || hadReport || write.kind === 'correct')
      for (const suspected of this.suspected.values()) suspected.delete(key);
    if (write.kind === 'finish' || write.kind === 'requeue') this.reported.delete(row.runId);
    if (write.kind === 'grant' && knownAt.get(write)?.suspects.has(row.runId))
      this.turns.add(placeOf(write, row, epoch));
  }

  resultReported(row: RunRow): void {
    if (row.state !== 'finished') this.reported.set(row.runId, keyOf(row));
  }

  /** Runs whose package was suspected at an earlier grant, and is not at this one, though it has had no result. */
  forgotten(write: Grant, books: MemoryBooks): RunRow[] {
    const facts = knownAt.get(write);
    if (!facts) return [];
    const before = this.suspected.get(facts.term) ?? new Set();
    const suspected = rowsOf(facts.suspects, books).map(keyOf);
    this.suspected.set(facts.term, new Set([...before, ...suspected]));
    const reported = new Set(this.reported.values());
    const others = rowsOf(facts.runs, books).filter(({ runId }) => !facts.suspects.has(runId));
    return others.filter((row) => before.has(keyOf(row)) && !reported.has(keyOf(row)));
  }

  /** Runs that were suspected when this one was granted, though their package has not failed since its latest result. */
  wronglyHeldBack(write: Grant, books: MemoryBooks): RunRow[] {
    const suspects = knownAt.get(write)?.suspects ?? new Set();
    return rowsOf(suspects, books).filter((row) => !this.failures.has(keyOf(row)));
  }

  /** The database was restored: results that a package has had since are forgotten, and so are some runs. */
  restored(rows: RunRow[]): void {
    for (const row of rows) if (row.attempt > 0) this.failures.add(keyOf(row));
    const runIds = new Set(rows.map(({ runId }) => runId));
    for (const runId of this.reported.keys()) if (!runIds.has(runId)) this.reported.delete(runId);
  }

  /** Whether the run may be granted before the other, which has a higher priority. */
  mayPass(write: Grant, row: RunRow, other: RunRow, epoch: number): boolean {
    const facts = knownAt.get(write);
    if (!facts || facts.isTurn || facts.suspects.has(row.runId) || !facts.suspects.has(other.runId))
      return false;
    return this.turns.has(placeOf(write, row, epoch));
  }
}

function rowsOf(runIds: ReadonlySet<number>, books: MemoryBooks): RunRow[] {
  return [...runIds].flatMap((runId) => books.look(runId) ?? []);
}

/** Private runs of a requestor are suspected on their own. */
function keyOf({ request, requestor }: RunRow): string {
  return `${request.arch} ${request.package} ${request.isPrivate ? requestor : ''}`;
}

function placeOf({ worker }: Grant, { request }: RunRow, epoch: number): string {
  return `${request.arch} ${epoch} ${worker}`;
}
