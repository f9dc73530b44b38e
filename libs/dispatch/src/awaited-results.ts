import type { DispatchedRun } from './journal';

/** Runs whose latest attempt has a result that is on its way, as their worker says. */
export class AwaitedResults {
  /** Run → its attempt, and since when its result is awaited, in monotonic milliseconds of the dispatcher's clock. */
  private readonly since = new Map<number, { attempt: number; sinceMs: number }>();

  /** Since when the result of the run's latest attempt is awaited. */
  begin({ runId, attempt }: DispatchedRun, now: number): number {
    const known = this.since.get(runId);
    if (known?.attempt === attempt) return known.sinceMs;
    this.since.set(runId, { attempt, sinceMs: now });
    return now;
  }

  forget(runId: number): void {
    this.since.delete(runId);
  }
}
