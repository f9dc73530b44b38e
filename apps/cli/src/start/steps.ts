/** The interval between two progress lines. */
const PROGRESS_INTERVAL_MS = 10_000;

/** Prints a line for each finished step with its duration, and progress lines while a step runs. */
export class Steps {
  constructor(private readonly write: (line: string) => void) {}

  printNotice(line: string): void {
    this.write(line);
  }

  /**
   * Runs `work` and prints `name` with the duration. @param name a text, or a function that returns the text for the
   * result @param doing the text of the progress lines
   */
  async run<T>(
    name: string | ((result: T) => string),
    work: () => Promise<T>,
    doing = typeof name === 'string' ? name : 'still working',
  ): Promise<T> {
    const from = performance.now();
    const seconds = (): string => ((performance.now() - from) / 1000).toFixed(1);
    const timer = setInterval(() => this.write(`${doing} … ${seconds()} s so far`), PROGRESS_INTERVAL_MS);
    try {
      const result = await work();
      this.write(`${typeof name === 'string' ? name : name(result)} … ${seconds()} s`);
      return result;
    } finally {
      clearInterval(timer);
    }
  }

  /** Returns a function that prints progress, at most one line for each ten percent. */
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
