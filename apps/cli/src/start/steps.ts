/** Between two lines about work that takes long. */
const STILL_EVERY_MS = 10_000;

/** Prints on one line each what was done and how long it took, and meanwhile how far it is. */
export class Steps {
  constructor(private readonly write: (line: string) => void) {}

  printNotice(line: string): void {
    this.write(line);
  }

  /** Says `name` (or what it makes of the result) with the time that `work` took. @param doing names it while it lasts */
  async during<T>(
    name: string | ((result: T) => string),
    work: () => Promise<T>,
    doing = typeof name === 'string' ? name : 'still at work',
  ): Promise<T> {
    const from = performance.now();
    const seconds = (): string => ((performance.now() - from) / 1000).toFixed(1);
    const still = setInterval(() => this.write(`${doing} … ${seconds()} s so far`), STILL_EVERY_MS);
    try {
      const result = await work();
      this.write(`${typeof name === 'string' ? name : name(result)} … ${seconds()} s`);
      return result;
    } finally {
      clearInterval(still);
    }
  }

  /** For work that reports how far it is, in percent and in words: a line for each tenth of it. */
  progress(what: string): (percent: number, doing: string) => void {
    let printed = -1;
    return (percent, doing) => {
      const tenth = Math.floor(percent / 10);
      if (tenth === printed) return;
      printed = tenth;
      this.write(`${what}: ${Math.round(percent)} % (${doing})`);
    };
  }
}
