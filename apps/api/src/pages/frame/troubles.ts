import type { PauseDecision } from '@proctor/administration';
import type { StatusReply, WorkerStatus } from '@proctor/contracts';
import type { QueueLength } from '@proctor/database';
import { pauseOfQueue } from '../../admin/decision-object';
import { spanOf } from './times';

/** Something that keeps public runs from being executed, as the head of each page tells it. */
export interface ServiceTrouble {
  kind: 'no answer' | 'no scheduler' | 'no worker' | 'stopped' | 'paused';
  /** `arm64: no worker` */
  what: string;
  /** When that was otherwise last; null where it is not known. */
  since: Date | null;
}

/** What a sentence tells of a trouble. */
export type Told = Pick<ServiceTrouble, 'what' | 'since'>;

/** What is known of the service. */
export interface ServiceFacts {
  /** Of public runs. */
  queues: QueueLength[];
  pauses: PauseDecision[];
  /** By architecture; null where no dispatcher answers. */
  statuses: Map<string, StatusReply | null>;
  /** By architecture, when any of its workers was last seen. */
  lastSeen: Map<string, Date>;
}

/** What is wrong where public runs wait, by architecture; nothing of where none do. */
export function troubles({ queues, pauses, statuses, lastSeen }: ServiceFacts): ServiceTrouble[] {
  const waiting = queues.filter((queue) => queue.waiting > 0);
  const architectures = [...new Set(waiting.map(({ arch }) => arch))].sort();
  return architectures.flatMap((arch): ServiceTrouble[] => {
    const what = architectureTrouble(statuses.get(arch) ?? null);
    if (what !== null) {
      const kind = statuses.get(arch) ? 'no worker' : 'no scheduler';
      return [{ kind, what: `${arch}: ${what}`, since: sinceOf(arch, statuses, lastSeen) }];
    }
    const stopped = statuses.get(arch)?.stopped;
    if (stopped !== undefined) return [{ kind: 'stopped', what: `${arch}: ${stopped}`, since: null }];
    return waiting.flatMap((queue) => {
      const pause = queue.arch === arch ? pauseOfQueue(pauses, queue) : null;
      if (!pause) return [];
      return [{ kind: 'paused', what: `${queue.suite}/${arch}: paused`, since: new Date(pause.since) }];
    });
  });
}

function architectureTrouble(status: StatusReply | null): string | null {
  if (!status) return 'no scheduler answers';
  const { workers } = status;
  if (workers.length === 0) return 'no worker';
  if (!workers.every(isStopped)) return null;
  return workers.length === 1
    ? 'its one worker takes no work'
    : `none of ${workers.length} workers takes work`;
}

function isStopped({ drained, problem, standing }: WorkerStatus): boolean {
  return drained !== undefined || problem !== undefined || standing === 'quarantined';
}

function sinceOf(
  arch: string,
  statuses: ServiceFacts['statuses'],
  lastSeen: ServiceFacts['lastSeen'],
): Date | null {
  return statuses.get(arch)?.workers.length === 0 ? (lastSeen.get(arch) ?? null) : null;
}

/** `arm64: no worker for 14 minutes.` */
export function troubleSentence({ what, since }: Told, now: Date): string {
  return since === null ? `${what}.` : `${what} for ${spanOf(now.getTime() - since.getTime())}.`;
}
