/** How a process ended. */
export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export function describeEnding({ code, signal }: Ending): string {
  return signal ? `signal ${signal}` : `exit code ${code}`;
}

/** Something that runs as its own process and can be started again after it ended. */
export interface SupervisedProcess {
  readonly name: string;
  /** Resolves once it serves; rejects, with no process left, when it ends before that. */
  start(): Promise<void>;
  /** Resolves when the latest process has ended in any way. */
  readonly whenEnded: Promise<Ending>;
  /** Stops it in order and resolves when it has ended; does nothing when it does not run. */
  stop(): Promise<void>;
}
