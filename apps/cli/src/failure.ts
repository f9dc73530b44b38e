/**
 * Exit codes of a command. With them a script can distinguish a failed test, a test without a verdict, and a wrong key.
 */
export const EXIT = {
  done: 0,
  /** Also used if a run ended as `fail`, or its package is not there. */
  failed: 1,
  /** The command line is not valid. */
  usage: 2,
  /** The API key is missing or not valid, or may not do this. */
  key: 4,
  /** The command is right, but a run ended as `tmpfail` or not in time, or the service or its database cannot be reached. */
  tryLater: 75,
} as const;

/** An error whose message says why a command failed, and whose advice says what to do now. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly code: number = EXIT.failed,
    readonly advice: string | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
