/** What a command ends with. A script can distinguish a test that failed, one without a verdict, and a wrong key. */
export const EXIT = {
  done: 0,
  /** Also: a run ended as `fail`. */
  failed: 1,
  /** What was typed cannot be. */
  usage: 2,
  /** The key is missing, not valid, or may not do this. */
  key: 4,
  /** Nothing is wrong with what was typed: a run ended as `tmpfail`, or the service, or its database, cannot be reached now. */
  tryLater: 75,
} as const;

/** Why a command did not do what it was asked for, in words for people, and what they can do now. */
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
