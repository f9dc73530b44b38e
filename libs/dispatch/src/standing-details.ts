/** Why a worker has its standing, for people. */
export interface Reasons {
  /** For administrators. */
  reason: string;
  /** For all users: without anything about private runs. */
  publicReason: string;
}

/** A reason that reveals nothing about any run. */
export function inPublic(reason: string): Reasons {
  return { reason, publicReason: reason };
}

/** The standing of a worker that is not sound. */
export interface StandingDetails extends Reasons {
  standing: 'slowed' | 'quarantined';
  /** Until it may be granted its next run (slowed) or is asked for its canary test (quarantined), milliseconds. */
  untilMs: number;
  /** Between its grants while nothing changes; null when it gets none. */
  intervalMs: number | null;
}

/** For people: how a worker stands, what comes next, and why. */
export function standingText({ standing, reason, untilMs, intervalMs }: StandingDetails): string {
  const seconds = (ms: number) => `${Math.ceil(ms / 1000)} s`;
  const next =
    intervalMs === null
      ? `a canary test in ${seconds(untilMs)}`
      : `a run every ${seconds(intervalMs)}, the next in ${seconds(untilMs)}`;
  return `${standing} (${next}): ${reason}`;
}
