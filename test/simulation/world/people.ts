import { SUBJECTS, subjectOf, type Subject } from '@proctor/contracts';
import type { MemoryBooks, RunRow } from '../memory-books';
import type { Checks } from './checks';
import type { ProcessBus } from './process-bus';
import type { Random } from './random';

export interface PeopleParts {
  books: MemoryBooks;
  /** The api's. */
  bus: ProcessBus;
  checks: Checks;
  random: Random;
  architectures: string[];
  suites: string[];
  note: (text: string) => void;
}

/** Users who decide something about runs, suites and workers in the middle of it all, through the api. */
export class People {
  /** What they do again after a restore: each takes a decision back, or registers a worker. */
  private readonly repeated = new Set<() => void>();

  constructor(private readonly parts: PeopleParts) {}

  /** Ends one of the runs that have not finished, if there is any. */
  cancel(): void {
    const run = this.anyRun(({ state }) => state !== 'finished');
    if (!run) return;
    this.cancelUnnoticed(run);
    this.signal(run.request.arch);
  }

  /** The signal is lost. */
  cancelUnnoticed(run: RunRow): void {
    const { books, checks, note } = this.parts;
    checks.cancelled(run);
    books.cancel(run.runId, 'ada');
    note(`api: run ${run.runId} cancelled`);
  }

  reprioritise(): void {
    const { books, checks, random, note } = this.parts;
    const run = this.anyRun(({ state }) => state === 'queued');
    const priority = Math.floor(random.between(1, 11));
    if (!run || !books.reprioritise(run.runId, priority, 'ada')) return;
    checks.reprioritised(run);
    note(`api: run ${run.runId} has priority ${priority}`);
    this.signal(run.request.arch);
  }

  /** Answers how to take it back. */
  pause(): () => void {
    const { books, random, architectures, suites, note } = this.parts;
    const scope = {
      arch: random.chance(0.3) ? null : random.pick(architectures),
      suite: random.chance(0.3) ? null : random.pick(suites),
    };
    const title = `${scope.suite ?? 'everything'} on ${scope.arch ?? 'all architectures'}`;
    books.decisions.pause(scope, 'ada', 'the archive is broken');
    note(`api: ${title} paused`);
    this.signal(scope.arch);
    return this.alsoAfterRestores(() => {
      if (!books.decisions.resume(scope)) return;
      note(`api: ${title} resumed`);
      this.signal(scope.arch);
    });
  }

  /** Answers how to take it back. */
  drain(worker: string): () => void {
    const { books, note } = this.parts;
    books.decisions.drain(worker, 'ada', 'the machine moves');
    note(`api: ${worker} drained`);
    this.signal(null);
    return this.alsoAfterRestores(() => {
      if (!books.decisions.undrain(worker)) return;
      note(`api: ${worker} takes work again`);
      this.signal(null);
    });
  }

  /** The database was restored: what they had taken back may stand again, workers may be unknown. */
  lookAgain(): void {
    for (const act of this.repeated) act();
  }

  /** Answers what acts now, and once more after each restore from then on. */
  private alsoAfterRestores(act: () => void): () => void {
    return () => {
      this.repeated.add(act);
      act();
    };
  }

  /** Trusts the worker, if it is no longer sound. */
  trust(worker: string): void {
    const { books, note } = this.parts;
    const architectures = books.trust(worker, 'ada');
    if (architectures.length === 0) return;
    note(`api: ${worker} trusted on ${architectures.join(' and ')}`);
    for (const arch of architectures) this.signal(arch);
  }

  /** A worker is taken out of the register; answers how it is added again. */
  revoke(worker: string): () => void {
    const { books, note } = this.parts;
    const revoked = books.register.revoke(worker, 'ada');
    if (!revoked) return () => undefined;
    note(`api: ${worker} revoked`);
    this.signal(null, SUBJECTS.workersChanged);
    return () => this.register(worker, revoked.architectures, revoked.mayRunPrivate);
  }

  register(worker: string, architectures: string[], mayRunPrivate: boolean): void {
    const { books, note } = this.parts;
    const add = this.alsoAfterRestores(() => {
      if (books.register.isKnown(worker)) return;
      books.register.add(worker, architectures, mayRunPrivate);
      note(`api: ${worker} added`);
      this.signal(null, SUBJECTS.workersChanged);
    });
    add();
  }

  private anyRun(matches: (row: RunRow) => boolean): RunRow | undefined {
    const { books, random } = this.parts;
    const matchingRows = books.all().filter((row) => row.committed && matches(row));
    return matchingRows.length === 0 ? undefined : random.pick(matchingRows);
  }

  private signal(arch: string | null, subject: Subject = SUBJECTS.ordersWaiting): void {
    const { architectures, bus } = this.parts;
    for (const each of arch === null ? architectures : [arch]) bus.signal(subjectOf(subject, each), {});
  }
}
