import { timestamp } from '@proctor/contracts';
import type { QueueLength, QueueRate } from '@proctor/database';

const HOUR_SECONDS = 3_600;

/** A suite queue as the API shows it. */
export interface QueueObject {
  suite: string;
  arch: string;
  waiting: number;
  running: number;
  oldest_at: string | null;
  /** Runs that finished within the last hour. */
  rate_per_hour: number;
  /** Until the last that waits now is done, at that rate; null when none finished. */
  estimate_seconds: number | null;
  paused: null;
}

/**
 * All queues of the deployment, empty ones too, and those of suites that are not tested any more and have runs left;
 * by suite and architecture.
 */
export function queueObjects(
  { suites, architectures }: { suites: string[]; architectures: string[] },
  lengths: QueueLength[],
  rates: QueueRate[],
): QueueObject[] {
  const nameOf = ({ suite, arch }: { suite: string; arch: string }): string => `${suite}/${arch}`;
  const length = new Map(lengths.map((queue) => [nameOf(queue), queue]));
  const rate = new Map(rates.map((queue) => [nameOf(queue), queue.perHour]));
  const configured = suites.flatMap((suite) => architectures.map((arch) => ({ suite, arch })));
  const all = new Map([...configured, ...lengths, ...rates].map((queue) => [nameOf(queue), queue]));
  return [...all.keys()].sort().map((name) => {
    const { suite, arch } = all.get(name)!;
    const { waiting = 0, running = 0, oldestAt = null } = length.get(name) ?? {};
    const perHour = rate.get(name) ?? 0;
    return {
      suite,
      arch,
      waiting,
      running,
      oldest_at: oldestAt && timestamp(oldestAt),
      rate_per_hour: perHour,
      estimate_seconds: estimate(waiting, perHour),
      paused: null,
    };
  });
}

function estimate(waiting: number, perHour: number): number | null {
  if (waiting === 0) return 0;
  return perHour === 0 ? null : Math.ceil((waiting * HOUR_SECONDS) / perHour);
}
