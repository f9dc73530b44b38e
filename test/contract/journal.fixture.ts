import type { Fact, RunRequest, RunState, TestResult, Verdict } from '@proctor/contracts';
import type { Journal, LoadedRows, RunOutcome, Write } from '@proctor/dispatch';
import { runRequest } from '../support/run-request';

/** One implementation of the journal, empty, with what stands around it. */
export interface JournalFixture {
  journal: Journal;
  /** Accepts runs of the user `ada` as the api does; their ids rise in the order of the requests. */
  submit(requests: RunRequest[]): Promise<number[]>;
  /** Draws a run's id now; the run can be seen once `commit` has resolved. */
  submitSlowly(request: RunRequest): Promise<{ runId: number; commit(): Promise<void> }>;
  /** Claims the architecture from its owner. @returns the new epoch */
  takeOver(arch: string): Promise<number>;
  /** Ends a run in the books as a user does. */
  cancel(runId: number, userName: string): Promise<void>;
  /** Gives a waiting run another priority; false when it does not wait or has this one. */
  reprioritise(runId: number, priority: number, userName: string, reason: string): Promise<boolean>;
  /** Makes a private run public. */
  publish(runId: number): Promise<void>;
  /** What the user `ada` decides. */
  pause(scope: Scope, reason: string): Promise<void>;
  resume(scope: Scope): Promise<boolean>;
  drain(worker: string, reason: string): Promise<void>;
  undrain(worker: string): Promise<boolean>;
  addWorker(worker: string, architectures: string[], mayRunPrivate: boolean): Promise<void>;
  revokeWorker(worker: string, reason: string | null): Promise<void>;
  /** On all architectures whose dispatcher has judged it. */
  trust(worker: string, reason: string | null): Promise<void>;
  /** The past of a run in the books. */
  story(runId: number): Promise<Fact[]>;
  listUnpublished(arch: string, limit: number): Promise<Fact[]>;
  markPublished(facts: Pick<Fact, 'factId' | 'at'>[]): Promise<void>;
  /** What the books say of a run. */
  look(runId: number): Promise<BookedRun>;
  close(): Promise<void>;
}

/** What is paused; null stands for every one. */
export interface Scope {
  arch: string | null;
  suite: string | null;
}

export interface BookedRun {
  state: RunState;
  attempt: number;
  verdict: Verdict | null;
  message: string | null;
  version: string | null;
  exitCode: number | null;
  worker: string | null;
  durationSeconds: number | null;
  tests: TestResult[];
}

export const ARCH = 'amd64';
export const HALF_LIFE_MS = 3_600_000;

export const request = runRequest;

export function outcome(change: Partial<RunOutcome> = {}): RunOutcome {
  return {
    verdict: 'pass',
    message: 'all tests passed',
    exitCode: 0,
    version: '2.10-3',
    durationSeconds: 30,
    files: [{ name: 'log.gz', size: 1234 }],
    tests: [],
    ...change,
  };
}

/** Who owns ARCH in the present test, with new books for each test. */
export class Owner {
  books!: JournalFixture;
  epoch!: number;

  /** To be made in a `describe`, for the tests of it. */
  constructor(make: () => Promise<JournalFixture>) {
    beforeEach(async () => {
      this.books = await make();
      this.epoch = await this.books.takeOver(ARCH);
    });
    afterEach(() => this.books.close());
  }

  /** @throws when one of them is left out */
  async commit(...writes: Write[]): Promise<void> {
    const [refusal] = await this.leftOut(...writes);
    if (refusal) throw new Error(`the row does not allow ${JSON.stringify(refusal)}`);
  }

  /** Commits them. @returns those that were left out */
  leftOut(...writes: Write[]): Promise<Write[]> {
    return this.books.journal.commit(ARCH, this.epoch, writes);
  }

  load(): Promise<LoadedRows> {
    return this.books.journal.load(ARCH, HALF_LIFE_MS);
  }

  /** Submits one request. @returns the id of its run */
  async accept(change: Partial<RunRequest> = {}): Promise<number> {
    return (await this.books.submit([request(change)]))[0]!;
  }

  /** A run after these writes. */
  async runAfter(...writes: ((runId: number) => Write)[]): Promise<number> {
    const runId = await this.accept();
    await this.commit(...writes.map((write) => write(runId)));
    return runId;
  }
}

export const start = (runId: number, attempt: number): Write => ({ kind: 'start', runId, attempt });

export function grant(runId: number, attempt: number, slot = 0, worker = 'w1'): Write {
  return { kind: 'grant', runId, attempt, worker, incarnation: 'life-1', slot };
}

export function requeue(
  runId: number,
  attempt: number,
  outcome: 'expired' | 'lost' | 'returned' = 'expired',
): Write {
  return { kind: 'requeue', runId, attempt, outcome: outcome, reason: 'the lease expired', result: null };
}

/** The attempt's report says tmpfail, and the run is tried again. */
export function fail(runId: number, attempt: number, change: Partial<RunOutcome> = {}): Write {
  const result = outcome({ verdict: 'tmpfail', message: 'no testbed', exitCode: 16, ...change });
  return { kind: 'requeue', runId, attempt, outcome: 'failed', reason: result.message, result };
}

export function finish(runId: number, attempt: number, change: Partial<RunOutcome> = {}): Write {
  return {
    kind: 'finish',
    runId,
    attempt,
    attemptOutcome: 'finished',
    outcome: outcome(change),
    worker: 'w1',
  };
}
