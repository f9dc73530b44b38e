import type { Clock } from '@proctor/clock';

/** Numbers that cost a statement, or a request to a server: read when somebody asks, and at most once in a while. */
export class Cached<T> {
  private latest: { value: Promise<T>; atMs: number } | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly ageMaxMs: number,
    private readonly read: () => Promise<T>,
  ) {}

  /** @throws what reading throws; it is then tried again at the next call */
  get(): Promise<T> {
    const now = this.clock.now();
    if (this.latest && now - this.latest.atMs < this.ageMaxMs) return this.latest.value;
    const value = this.read();
    this.latest = { value, atMs: now };
    value.catch(() => (this.latest = null));
    return value;
  }
}
