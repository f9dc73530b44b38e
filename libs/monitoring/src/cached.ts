import type { Clock } from '@proctor/clock';

/** A value that costs a statement or a request: read when it is needed, once for all who need it, and at most once in a while. */
export class Cached<T> {
  private latest: { value: T; atMs: number } | null = null;
  private reading: Promise<T> | null = null;

  /** @param ageMaxMs checked at each use, so that it may change */
  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly ageMaxMs: () => number,
    private readonly read: () => Promise<T>,
  ) {}

  /** @throws what reading throws; the next call tries again */
  load(): Promise<T> {
    const { latest } = this;
    if (latest && this.clock.now() - latest.atMs < this.ageMaxMs()) return Promise.resolve(latest.value);
    this.reading ??= this.update().finally(() => (this.reading = null));
    return this.reading;
  }

  /** The latest value without a wait, while a newer one is read. Waits when there is none, and where `ageMaxMs` is 0. */
  loadStale(): Promise<T> {
    const value = this.load();
    if (!this.latest || this.ageMaxMs() === 0) return value;
    value.catch(() => undefined);
    return Promise.resolve(this.latest.value);
  }

  private async update(): Promise<T> {
    const atMs = this.clock.now();
    const value = await this.read();
    this.latest = { value, atMs };
    return value;
  }
}
