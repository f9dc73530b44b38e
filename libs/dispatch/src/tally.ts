/** How often each key was added and not removed. */
export class Tally {
  private readonly counts = new Map<string, number>();

  of(key: string): number {
    return this.counts.get(key) ?? 0;
  }

  keys(): Iterable<string> {
    return this.counts.keys();
  }

  add(key: string): void {
    this.counts.set(key, this.of(key) + 1);
  }

  remove(key: string): void {
    const rest = this.of(key) - 1;
    if (rest > 0) this.counts.set(key, rest);
    else this.counts.delete(key);
  }
}
