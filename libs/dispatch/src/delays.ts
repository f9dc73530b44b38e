import { IndexedHeap } from './indexed-heap';
import type { DispatchedRun } from './journal-records';
import { retryDelayMs, type RetrySettings } from './settings';

interface DelayedRun {
  run: DispatchedRun;
  /** Monotonic milliseconds of the dispatcher's clock. */
  notBeforeMs: number;
  /** The reason, for people. */
  reason: string;
}

/** How long a run from the rows still waits after it lost its latest attempt. */
export function backOffMs({ latestLost, attemptsLost }: DispatchedRun, retry: RetrySettings): number {
  return latestLost ? retryDelayMs(retry, attemptsLost) - latestLost.agoMs : 0;
}

/** Waiting runs that no slot may have yet. */
export class Delays {
  private readonly byTime = new IndexedHeap<DelayedRun>((delayed) => delayed.run.runId, dueBefore);

  add(run: DispatchedRun, notBeforeMs: number, reason: string): void {
    this.byTime.add({ run, notBeforeMs, reason });
  }

  find(runId: number): DelayedRun | undefined {
    return this.byTime.find(runId);
  }

  remove(runId: number): void {
    this.byTime.remove(runId);
  }

  /** The run that must wait the longest, of those for which `counts` returns true; checks each delayed run. */
  last(counts: (run: DispatchedRun) => boolean): DelayedRun | undefined {
    let last: DelayedRun | undefined;
    for (const delayed of this.byTime) {
      if (counts(delayed.run) && (!last || dueBefore(last, delayed))) last = delayed;
    }
    return last;
  }

  nextDue(): DelayedRun | undefined {
    return this.byTime.head();
  }
}

/** Runs whose worker has reported that the result of their latest attempt is on its way. */
export class AwaitedResults {
  /** The awaited attempt of each run, and the start of the wait in monotonic milliseconds of the dispatcher's clock. */
  private readonly since = new Map<number, { attempt: number; sinceMs: number }>();

  /** The time since when the result of the run's latest attempt is awaited. */
  startWait({ runId, attempt }: DispatchedRun, now: number): number {
    const wait = this.since.get(runId);
    if (wait?.attempt === attempt) return wait.sinceMs;
    this.since.set(runId, { attempt, sinceMs: now });
    return now;
  }

  remove(runId: number): void {
    this.since.delete(runId);
  }
}

function dueBefore(a: DelayedRun, b: DelayedRun): boolean {
  return a.notBeforeMs === b.notBeforeMs ? a.run.runId < b.run.runId : a.notBeforeMs < b.notBeforeMs;
}
