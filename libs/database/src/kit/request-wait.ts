import { AsyncLocalStorage } from 'node:async_hooks';

/** The time that one request has waited for the database. Calls that run at the same time count once. */
export class RequestWait {
  private waitedMs = 0;
  private calls = 0;
  private sinceMs = 0;

  get ms(): number {
    return this.waitedMs + (this.calls > 0 ? performance.now() - this.sinceMs : 0);
  }

  start(): void {
    if (this.calls === 0) this.sinceMs = performance.now();
    this.calls += 1;
  }

  end(): void {
    this.calls -= 1;
    if (this.calls === 0) this.waitedMs += performance.now() - this.sinceMs;
  }

  /** Starts the time again: one step of the request is done, and the next step may take as long. */
  restart(): void {
    this.waitedMs = 0;
    this.sinceMs = performance.now();
  }
}

const current = new AsyncLocalStorage<RequestWait | undefined>();

/**
 * Runs `work` as one request: all its database calls, and those of what it starts, share
 * `DatabaseLimits.requestTimeoutMs`.
 */
export function asOneRequest<T>(work: () => T): T {
  return current.run(new RequestWait(), work);
}

/** Runs `work` in the background of all requests: the time of its calls counts for no request. */
export function asBackgroundWork<T>(work: () => T): T {
  return current.run(undefined, work);
}

/** Runs `work` for several requests at once. Its calls count for the one request that has this `wait`. */
export function runWithin<T>(wait: RequestWait | undefined, work: () => T): T {
  return current.run(wait, work);
}

/** The wait of the current request; undefined in background work. */
export function currentWait(): RequestWait | undefined {
  return current.getStore();
}
