/** What happened, in order, for a test that waits for it. */
export class Events<T> {
  private readonly happened: T[] = [];
  private readonly waiting: ((event: T) => void)[] = [];

  readonly push = (event: T): void => {
    const waiter = this.waiting.shift();
    if (waiter) waiter(event);
    else this.happened.push(event);
  };

  next(): Promise<T> {
    const event = this.happened.shift();
    if (event !== undefined) return Promise.resolve(event);
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Events that the test has not waited for. */
  get unread(): number {
    return this.happened.length;
  }
}
