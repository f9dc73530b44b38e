/** How a process ended. */
export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export function describeEnding({ code, signal }: Ending): string {
  return signal ? `signal ${signal}` : `exit code ${code}`;
}

/** Something that runs as a process of its own and may be started again after it ended. */
export interface Supervised {
  readonly name: string;
  /** Resolves once it serves; rejects, with nothing left running, when it ends before that. */
  start(): Promise<void>;
  /** Resolves when the process started last has ended, whatever the cause. */
  readonly ended: Promise<Ending>;
  /** Ends it in order and resolves when it is gone; does nothing when it does not run. */
  stop(): Promise<void>;
}
