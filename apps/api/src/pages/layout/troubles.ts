import type { PauseResource } from '@proctor/resources';
import type { StatusReply, WorkerStatus } from '@proctor/contracts';
import type { QueueLength, WorkerRecord } from '@proctor/database';
import { pauseOfQueue } from '../../admin/decision-object';

/** A reason why public runs wait too long, for the head of each page. */
export interface ServiceTrouble {
  kind: 'no answer' | 'no scheduler' | 'no worker' | 'stopped' | 'paused';
  /** `arm64: no worker` */
  what: string;
  /** The time since when there is trouble; null when it is not known. */
  since: Date | null;
}

/** The state of the service. */
export interface ServiceFacts {
  /** The number of waiting public runs by queue. */
  queues: QueueLength[];
  pauses: PauseResource[];
  /** Status by architecture; null when the dispatcher does not answer. */
  statuses: Map<string, StatusReply | null>;
  /** The registered workers. They are only read when an architecture has no worker. */
  registered: Pick<WorkerRecord, 'name' | 'architectures' | 'lastSeenAt'>[];
}

/** The troubles of the architectures for which public runs wait. */
export function troubles({ queues, pauses, statuses, registered }: ServiceFacts): ServiceTrouble[] {
  const waiting = queues.filter((queue) => queue.waiting > 0);
  const architectures = [...new Set(waiting.map(({ arch }) => arch))].sort();
  const present = new Set(
    [...statuses.values()].flatMap((each) => each?.workers.map(({ worker }) => worker) ?? []),
  );
  return architectures.flatMap((arch): ServiceTrouble[] => {
    const status = statuses.get(arch) ?? null;
    if (!status) return [{ kind: 'no scheduler', what: `${arch}: no scheduler answers`, since: null }];
    if (status.workers.length === 0) return [absence(arch, registered, present)];
    if (status.workers.every(isStopped))
      return [{ kind: 'no worker', what: `${arch}: ${allStopped(status.workers.length)}`, since: null }];
    if (status.stopped !== undefined)
      return [{ kind: 'stopped', what: `${arch}: ${status.stopped}`, since: null }];
    return waiting.flatMap((queue) => {
      const pause = queue.arch === arch ? pauseOfQueue(pauses, queue) : null;
      if (!pause) return [];
      return [{ kind: 'paused', what: `${queue.suite}/${arch}: paused`, since: new Date(pause.since) }];
    });
  });
}

/** @param present workers that ask for work on other architectures: when they last did so here is not known */
function absence(arch: string, registered: ServiceFacts['registered'], present: Set<string>): ServiceTrouble {
  const own = registered.filter(
    ({ name, architectures }) => architectures.includes(arch) && !present.has(name),
  );
  const times = own.flatMap(({ lastSeenAt }) => lastSeenAt?.getTime() ?? []);
  const since = times.length > 0 ? new Date(Math.max(...times)) : null;
  return { kind: 'no worker', what: `${arch}: no worker`, since };
}

function allStopped(workers: number): string {
  return workers === 1 ? 'its one worker takes no work' : `none of ${workers} workers takes work`;
}

function isStopped({ drained, problem, standing }: WorkerStatus): boolean {
  return drained !== undefined || problem !== undefined || standing === 'quarantined';
}
