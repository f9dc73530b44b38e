import { earliestOf, isQueuePaused, scopeName } from '@proctor/contracts';
import type { Decision } from '@proctor/contracts';
import type { WorkerRecord } from '@proctor/database';
import type { PauseResource, QueueResource, WorkerDetails } from '@proctor/resources';
import { utc } from '../layout/times';

/** The user, the time and the reason of a decision: `root (since 2026-11-20 15:40:51 UTC): the mirror is away`. */
export function decidedBy({ by, reason, since }: Decision): string {
  return `${by} (since ${utc(new Date(since))}): ${reason}`;
}

export function pauseSentence(pause: PauseResource): string {
  const name = scopeName(pause);
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} is paused by ${decidedBy(pause)}`;
}

/** The pause that the button in the row of a queue ends: that of the queue itself, or the earliest that holds it. */
export function pauseToEnd(pauses: PauseResource[], queue: Pick<QueueResource, 'suite' | 'arch'>) {
  const own = pauses.find(({ suite, arch }) => suite === queue.suite && arch === queue.arch);
  const pause = own ?? earliestOf(pauses.filter((each) => isQueuePaused(each, queue)));
  return pause && { suite: pause.suite ?? '', arch: pause.arch ?? '', scope: scopeName(pause) };
}

/** What an administrator may decide about a worker. @param record null for a worker that is not registered */
export function decisionsView({ offers }: Pick<WorkerDetails, 'offers'>, record: WorkerRecord | null) {
  const isValid = record !== null && record.revokedAt === null;
  return {
    record,
    canTrust: offers.some(({ standing }) => standing !== 'sound'),
    canQuarantine:
      isValid && (offers.length === 0 || offers.some(({ standing }) => standing !== 'quarantined')),
  };
}
