import type { Write } from '@proctor/dispatch';
import { DispatcherState } from '../../../libs/dispatch/src';
import type { RunRow } from '../memory-books';

type Grant = Extract<Write, { kind: 'grant' }>;
type RunWrite = Extract<Write, { runId: number }>;

/** What a dispatcher knew when it granted a run. */
interface Known {
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
  const known = {
    suspects: new Set([...runs.values()].filter((one) => suspects.has(one)).map(({ runId }) => runId)),
    isTurn: suspectTurns.isDue(slot.worker, now),
  };
  const write = granting.call(this, run, slot, now);
  knownAt.set(write, known);
  return write;
};

/**
 * Which runs others may be granted before, whatever their priority: those of a package that failed and has had no result
 * since, at a worker where a suspect has had its turn.
 */
export class Passing {
  /** Architecture and package. */
  private readonly failed = new Set<string>();
  /** Architecture, epoch and worker. */
  private readonly turns = new Set<string>();

  /** Is told of each write in its order. */
  written(write: RunWrite, row: RunRow, epoch: number): void {
    const key = keyOf(row);
    if (write.kind === 'requeue' && write.outcome !== 'returned') this.failed.add(key);
    if (write.kind === 'finish') {
      const hasResult = write.attemptOutcome === 'finished' && write.outcome.verdict !== 'tmpfail';
      if (hasResult) this.failed.delete(key);
      else this.failed.add(key);
    }
    if (write.kind === 'grant' && knownAt.get(write)?.suspects.has(row.runId))
      this.turns.add(placeOf(write, row, epoch));
  }

  /** Whether the run may be granted before the other, which has a higher priority. */
  mayPass(write: Grant, row: RunRow, other: RunRow, epoch: number): boolean {
    const known = knownAt.get(write);
    if (!known || known.isTurn || known.suspects.has(row.runId) || !known.suspects.has(other.runId))
      return false;
    return this.failed.has(keyOf(other)) && this.turns.has(placeOf(write, row, epoch));
  }
}

function keyOf({ request }: RunRow): string {
  return `${request.arch} ${request.package}`;
}

function placeOf({ worker }: Grant, { request }: RunRow, epoch: number): string {
  return `${request.arch} ${epoch} ${worker}`;
}
