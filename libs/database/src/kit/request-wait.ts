import { AsyncLocalStorage } from 'node:async_hooks';

/** How long one request has waited for the database, calls at the same time counted once. */
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

  /** A part of what was asked for is done, and the next may take as long. */
  restart(): void {
    this.waitedMs = 0;
    this.sinceMs = performance.now();
  }
}

const current = new AsyncLocalStorage<RequestWait | undefined>();

/** All calls that the work makes wait for `DatabaseLimits.requestTimeoutMs` together, also those of what it starts. */
export function asOneRequest<T>(work: () => T): T {
  return current.run(new RequestWait(), work);
}

/** For what a request starts and does not wait for. */
export function besideRequests<T>(work: () => T): T {
  return current.run(undefined, work);
}

/** For what is done for several requests, in the time of the one. */
export function within<T>(wait: RequestWait | undefined, work: () => T): T {
  return current.run(wait, work);
}

/** Of the request that is being worked on; undefined outside of requests. */
export function requestWait(): RequestWait | undefined {
  return current.getStore();
}
