import type { PauseResource } from '@proctor/resources';
import type { StatusReply, WorkerStatus } from '@proctor/contracts';
import type { QueueLength, WorkerRecord } from '@proctor/database';
import { pauseOfQueue } from '../../admin/decision-object';
import { spanOf } from './times';

/** What keeps public runs from being executed, as the head of each page shows it. */
export interface ServiceTrouble {
  kind: 'no answer' | 'no scheduler' | 'no worker' | 'stopped' | 'paused';
  /** `arm64: no worker` */
  what: string;
  /** When that was otherwise last; null where it is not known. */
  since: Date | null;
}

/** The parts of a trouble that a sentence names. */
export type NamedTrouble = Pick<ServiceTrouble, 'what' | 'since'>;

/** What is known of the service. */
export interface ServiceFacts {
  /** Of public runs. */
  queues: QueueLength[];
  pauses: PauseResource[];
  /** By architecture; null where no dispatcher answers. */
  statuses: Map<string, StatusReply | null>;
  /** The workers that may connect; none while each architecture has some that asked for work. */
  registered: Pick<WorkerRecord, 'architectures' | 'lastSeenAt'>[];
}

/** What is wrong where public runs wait, by architecture; nothing of where none do. */
export function troubles({ queues, pauses, statuses, registered }: ServiceFacts): ServiceTrouble[] {
  const waiting = queues.filter((queue) => queue.waiting > 0);
  const architectures = [...new Set(waiting.map(({ arch }) => arch))].sort();
  return architectures.flatMap((arch): ServiceTrouble[] => {
    const status = statuses.get(arch) ?? null;
    if (!status) return [{ kind: 'no scheduler', what: `${arch}: no scheduler answers`, since: null }];
    if (status.workers.length === 0) return [absence(arch, registered)];
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

function absence(arch: string, registered: ServiceFacts['registered']): ServiceTrouble {
  const own = registered.filter(({ architectures }) => architectures.includes(arch));
  const seen = own.flatMap(({ lastSeenAt }) => lastSeenAt?.getTime() ?? []);
  const since = seen.length > 0 ? new Date(Math.max(...seen)) : null;
  return { kind: 'no worker', what: `${arch}: no worker`, since };
}

function allStopped(workers: number): string {
  return workers === 1 ? 'its one worker takes no work' : `none of ${workers} workers takes work`;
}

function isStopped({ drained, problem, standing }: WorkerStatus): boolean {
  return drained !== undefined || problem !== undefined || standing === 'quarantined';
}

/** `arm64: no worker for 14 minutes.` */
export function troubleSentence({ what, since }: NamedTrouble, now: Date): string {
  return since === null ? `${what}.` : `${what} for ${spanOf(now.getTime() - since.getTime())}.`;
}
