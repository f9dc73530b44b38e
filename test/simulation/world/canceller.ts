import { SUBJECTS, subjectOf } from '@proctor/contracts';
import type { MemoryBooks } from '../memory-books';
import type { Checks } from './checks';
import type { ProcessBus } from './process-bus';
import type { Random } from './random';

export interface CancellerParts {
  books: MemoryBooks;
  /** The api's. */
  bus: ProcessBus;
  checks: Checks;
  random: Random;
  note: (text: string) => void;
}

/** Somebody who ends runs in the middle of their lives, through the api. */
export class Canceller {
  constructor(private readonly parts: CancellerParts) {}

  /** Ends one of the runs that have not finished, if there is any. */
  cancelOne(): void {
    const { books, bus, checks, random, note } = this.parts;
    const alive = books.all().filter(({ committed, state }) => committed && state !== 'finished');
    if (alive.length === 0) return;
    const run = random.pick(alive);
    checks.cancelled(run);
    books.cancel(run.runId, 'ada');
    note(`api: run ${run.runId} cancelled`);
    bus.signal(subjectOf(SUBJECTS.ordersWaiting, run.request.arch), {});
  }
}
