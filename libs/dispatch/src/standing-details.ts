/** Why a worker has its standing, for people. */
export interface Reasons {
  /** The reason for administrators. */
  reason: string;
  /** The reason for all users, without anything about private runs. */
  publicReason: string;
}

/** A reason that reveals nothing about any run. */
export function inPublic(reason: string): Reasons {
  return { reason, publicReason: reason };
}

/** The standing of a worker that is not sound. */
export interface StandingDetails extends Reasons {
  standing: 'slowed' | 'quarantined';
  /** Milliseconds until the worker may get its next run (slowed) or its canary test (quarantined). */
  untilMs: number;
  /** Milliseconds between its grants while nothing changes; null if it gets none. */
  intervalMs: number | null;
}

/** A text for people: the standing of a worker, what comes next, and why. */
export function standingText({ standing, reason, untilMs, intervalMs }: StandingDetails): string {
  const seconds = (ms: number) => `${Math.ceil(ms / 1000)} s`;
  const next =
    intervalMs === null
      ? `a canary test in ${seconds(untilMs)}`
      : `a run every ${seconds(intervalMs)}, the next in ${seconds(untilMs)}`;
  return `${standing} (${next}): ${reason}`;
}
