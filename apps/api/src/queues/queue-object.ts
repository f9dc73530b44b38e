import type { PauseResource, QueueResource } from '@proctor/resources';
import { timestamp } from '@proctor/contracts';
import type { Decision, QueueStatus, StatusReply } from '@proctor/contracts';
import type { QueueLength, QueueRate } from '@proctor/database';
import { pauseOfQueue } from '../admin/decision-object';
import { silence } from '../dispatchers/explanation.service';

const HOUR_SECONDS = 3_600;

/** Facts about the queues of a deployment. */
export interface QueueFacts {
  lengths: QueueLength[];
  rates: QueueRate[];
  pauses: PauseResource[];
  /** The status of each architecture's dispatcher; null if it does not answer. */
  statuses: Map<string, StatusReply | null>;
}

/**
 * All queues of the deployment by suite and architecture, also empty ones, and those with runs of suites that are no
 * longer tested.
 */
export function queueObjects(
  { suites, architectures }: { suites: string[]; architectures: string[] },
  { lengths, rates, pauses, statuses }: QueueFacts,
): QueueResource[] {
  const nameOf = ({ suite, arch }: { suite: string; arch: string }): string => `${suite}/${arch}`;
  const length = new Map(lengths.map((queue) => [nameOf(queue), queue]));
  const rate = new Map(rates.map((queue) => [nameOf(queue), queue]));
  const configured = suites.flatMap((suite) => architectures.map((arch) => ({ suite, arch })));
  const all = new Map([...configured, ...lengths, ...rates].map((queue) => [nameOf(queue), queue]));
  return [...all.keys()].sort().map((name) => {
    const { suite, arch } = all.get(name)!;
    const { waiting = 0, running = 0, oldestAt = null } = length.get(name) ?? {};
    const { perHour = 0, waitSeconds = null } = rate.get(name) ?? {};
    const paused = pauseOfQueue(pauses, { suite, arch });
    const status = statuses.get(arch) ?? null;
    const queueStatus = status?.queues.find((queue) => queue.suite === suite) ?? null;
    return {
      suite,
      arch,
      waiting,
      running,
      oldest_at: oldestAt && timestamp(oldestAt),
      rate_per_hour: perHour,
      wait_seconds: waitSeconds,
      estimate_seconds: estimate(waiting, perHour, paused, queueStatus),
      paused,
      reasons: status ? (queueStatus?.reasons ?? []) : waiting > 0 ? [silence(arch)] : [],
    };
  });
}

function estimate(
  waiting: number,
  perHour: number,
  paused: Decision | null,
  queueStatus: QueueStatus | null,
): number | null {
  if (waiting === 0) return 0;
  if (paused) return null;
  if (queueStatus) return queueStatus.emptyInMs === null ? null : Math.ceil(queueStatus.emptyInMs / 1_000);
  return perHour === 0 ? null : Math.ceil((waiting * HOUR_SECONDS) / perHour);
}
