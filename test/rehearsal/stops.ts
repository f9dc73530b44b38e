/** What was begun is being ended: nothing else may begin. */
export class Interrupted extends Error {
  constructor() {
    super('everything is being ended');
  }
}

/** What was started is ended once, the last first, whatever comes first: the end, an error, or Ctrl-C. */
export class Stops {
  private readonly ends: (() => unknown)[] = [];
  private readonly underWay = new Set<Promise<unknown>>();
  private ending: Promise<void> | null = null;

  get isOver(): boolean {
    return this.ending !== null;
  }

  /** What `end` ends is there already. @throws Interrupted when all is being ended; then it is ended, too */
  add(end: () => unknown): void {
    if (!this.isOver) return void this.ends.push(end);
    end();
    throw new Interrupted();
  }

  /** Starts what `end` ends, also when it was started by half. @throws Interrupted when all is being ended */
  start<T>(start: () => Promise<T>, end: () => unknown): Promise<T> {
    if (this.isOver) throw new Interrupted();
    this.ends.push(end);
    return this.during(start);
  }

  /** Nothing is ended before this is done. @throws Interrupted when all is being ended */
  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.isOver) throw new Interrupted();
    const promise = work();
    this.underWay.add(promise);
    try {
      return await promise;
    } finally {
      this.underWay.delete(promise);
    }
  }

  /** What is started within ends with it, or with everything. */
  async within<T>(work: (own: Stops) => Promise<T>): Promise<T> {
    if (this.isOver) throw new Interrupted();
    const own = new Stops();
    this.ends.push(() => own.now());
    try {
      return await work(own);
    } finally {
      await own.now();
    }
  }

  /** Resolves when all has ended. @throws AggregateError of what could not be ended, when all else has */
  now(): Promise<void> {
    this.ending ??= this.endAll();
    return this.ending;
  }

  private async endAll(): Promise<void> {
    await Promise.allSettled(this.underWay);
    const errors: unknown[] = [];
    for (let end = this.ends.pop(); end; end = this.ends.pop())
      await Promise.resolve()
        .then(end)
        .catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw new AggregateError(errors, 'not everything could be ended');
  }
}
