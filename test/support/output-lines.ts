interface Waiter {
  name: string;
  pattern: RegExp;
  resolve: (line: string) => void;
}

/** The output of processes, line by line; tests can wait for a line. */
export class OutputLines {
  private readonly lines: { name: string; line: string }[] = [];
  private readonly waiters = new Set<Waiter>();

  add(name: string, line: string): void {
    this.lines.push({ name, line });
    for (const waiter of this.waiters) {
      if (waiter.name === name && waiter.pattern.test(line)) {
        this.waiters.delete(waiter);
        waiter.resolve(line);
      }
    }
  }

  /** Everything that one process wrote so far. */
  of(name: string): string[] {
    return this.lines.filter((entry) => entry.name === name).map((entry) => entry.line);
  }

  /** Everything that all of them wrote so far. */
  get text(): string {
    return this.lines.map(({ name, line }) => `${name}: ${line}\n`).join('');
  }

  /** The first line of one process, past or future, that fits; the test's own timeout limits the wait. */
  line(name: string, pattern: RegExp): Promise<string> {
    const match = this.of(name).find((line) => pattern.test(line));
    if (match !== undefined) return Promise.resolve(match);
    return new Promise((resolve) => this.waiters.add({ name, pattern, resolve }));
  }
}
