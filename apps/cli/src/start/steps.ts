/** Tells on one line each what was done and how long it took. */
export class Steps {
  constructor(private readonly write: (line: string) => void) {}

  say(line: string): void {
    this.write(line);
  }

  /** Says `name` (or what it makes of the result) with the time that `work` took. */
  async during<T>(name: string | ((result: T) => string), work: () => Promise<T>): Promise<T> {
    const from = performance.now();
    const result = await work();
    const text = typeof name === 'string' ? name : name(result);
    this.write(`${text} … ${((performance.now() - from) / 1000).toFixed(1)} s`);
    return result;
  }
}
