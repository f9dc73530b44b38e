import type { Write } from '@proctor/dispatch';
import type { MemoryBooks, RunRow } from '../memory-books';

/** Who executes an attempt. */
export interface Executor {
  worker: string;
  incarnation: string;
  slot: number;
}

/** Knows the truth, and collects what contradicts it. */
export class Checks {
  readonly violations: string[] = [];
  private readonly granted = new Map<number, number>();
  private readonly finished = new Set<number>();
  private readonly executed = new Set<string>();
  private readonly epochs = new Map<string, number>();

  constructor(private readonly violated: (violation: string) => void) {}

  /** Before the books are told. */
  cancelled({ runId }: RunRow): void {
    this.require(!this.finished.has(runId), `run ${runId}: cancelled after it had finished`);
    this.finished.add(runId);
  }

  written(write: Write, row: RunRow, epoch: number): void {
    const { arch } = row.request;
    this.require(epoch >= (this.epochs.get(arch) ?? 0), `${arch}: epoch ${epoch} wrote after a newer one`);
    this.epochs.set(arch, epoch);
    const title = `run ${write.runId}`;
    if (write.kind === 'order-taken') {
      this.require(this.finished.has(write.runId), `${title}: an order was taken that nobody gave`);
      return;
    }
    this.require(!this.finished.has(write.runId), `${title}: ${write.kind} after it had finished`);
    if (write.kind === 'grant') {
      const expected = (this.granted.get(write.runId) ?? 0) + 1;
      this.require(write.attempt === expected, `${title}: attempt ${write.attempt} granted, not ${expected}`);
      this.granted.set(write.runId, write.attempt);
    }
    if (write.kind !== 'finish') return;
    this.finished.add(write.runId);
    const own =
      write.attemptOutcome !== 'finished' || write.outcome.message === resultOf(write.runId, write.attempt);
    this.require(
      own,
      `${title}: "${write.outcome.message}" was booked as the result of attempt ${write.attempt}`,
    );
  }

  executionBegins(books: MemoryBooks, runId: number, attempt: number, by: Executor): void {
    const title = `run ${runId} attempt ${attempt}`;
    const granted = books.look(runId)?.attempts.find((row) => row.attempt === attempt);
    const isGranted =
      granted?.worker === by.worker && granted.incarnation === by.incarnation && granted.slot === by.slot;
    this.require(isGranted, `${title}: executed by ${by.worker} slot ${by.slot}, which was not granted it`);
    this.require(!this.executed.has(title), `${title}: executed twice`);
    this.executed.add(title);
  }

  executionStopped(books: MemoryBooks, runId: number, attempt: number): void {
    const row = books.look(runId);
    const stands = row?.attempt === attempt && (row.state === 'leased' || row.state === 'running');
    this.require(!stands, `run ${runId} attempt ${attempt}: stopped although its lease stood`);
  }

  copyDropped(books: MemoryBooks, runId: number, attempt: number): void {
    const row = books.look(runId);
    const isBooked = row?.state === 'finished' && row.attempt === attempt && !row.cancelled;
    this.require(isBooked, `run ${runId} attempt ${attempt}: said to be recorded, but is not`);
  }

  /** When everything works again and all had its time. */
  atTheEnd(books: MemoryBooks, storedFiles: ReadonlySet<string>): void {
    for (const runId of books.ordersWaiting)
      this.require(false, `run ${runId}: no dispatcher took its order in`);
    for (const row of books.all()) {
      this.require(row.state === 'finished', `run ${row.runId}: lost, it is ${row.state}`);
      const isKept = [...storedFiles].some((file) => file.startsWith(`${row.runId}/`));
      this.require(!row.cancelled || !isKept, `run ${row.runId}: cancelled, but its result is in the store`);
      for (const { name } of row.outcome?.files ?? []) {
        const isStored = storedFiles.has(`${row.runId}/${row.attempt}/${name}`);
        this.require(isStored, `run ${row.runId}: ${name} is not in the store`);
      }
    }
  }

  private require(condition: boolean, violation: string): void {
    if (condition) return;
    this.violations.push(violation);
    this.violated(violation);
  }
}

/** The message of a result names its attempt, so that a result booked under another is seen. */
export function resultOf(runId: number, attempt: number): string {
  return `result of run ${runId} attempt ${attempt}`;
}
