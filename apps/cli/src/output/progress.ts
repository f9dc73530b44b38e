const EVERY_MS = 2_000;

/** Reports the progress of a long step on standard error; a terminal shows it in one line that changes. */
export class Progress {
  private count = 0;
  private printedMs = 0;
  private readonly sinceMs = performance.now();

  constructor(
    private readonly what: string,
    private readonly total: number | null = null,
  ) {}

  add(count: number): void {
    this.count += count;
    if (performance.now() - this.printedMs >= EVERY_MS) this.print(process.stderr.isTTY ? '\r' : '\n');
  }

  end(): void {
    this.print('\n');
  }

  private print(end: string): void {
    this.printedMs = performance.now();
    const seconds = Math.max(0.001, (this.printedMs - this.sinceMs) / 1_000);
    const of = this.total === null ? '' : ` of ${this.total.toLocaleString('en')}`;
    const rate = Math.round(this.count / seconds).toLocaleString('en');
    process.stderr.write(`${this.what}: ${this.count.toLocaleString('en')}${of}, ${rate} a second${end}`);
  }
}
