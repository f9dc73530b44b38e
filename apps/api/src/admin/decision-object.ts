import { earliestOf, type Decision } from '@proctor/contracts';
import type { PauseScope } from '@proctor/database';

export interface PauseObject extends PauseScope, Decision {}

export interface DrainObject extends Decision {
  worker: string;
}

/** A worker that was taken for sound, and where it was not. */
export interface TrustObject {
  worker: string;
  architectures: string[];
  by: string;
  reason: string | null;
}

/** A decision that was just made; the list of decisions has its time. */
export type Decided<T extends Decision> = Omit<T, 'since'>;

export function pauseObject({ suite, arch, by, reason, since }: PauseObject): PauseObject {
  return { suite, arch, by, reason, since };
}

export function drainObject({ worker, by, reason, since }: DrainObject): DrainObject {
  return { worker, by, reason, since };
}

/** The scope at the beginning of a sentence. */
export function scopeName({ suite, arch }: PauseScope): string {
  if (suite === null) return arch === null ? 'Everything' : `Every suite on ${arch}`;
  return arch === null ? `${suite} on every architecture` : `${suite}/${arch}`;
}

/** The pause that holds a suite queue back, as the dispatcher names it. */
export function pauseOfQueue(pauses: PauseObject[], queue: { suite: string; arch: string }): Decision | null {
  const first = earliestOf(
    pauses.filter(
      ({ suite, arch }) => (suite ?? queue.suite) === queue.suite && (arch ?? queue.arch) === queue.arch,
    ),
  );
  return first ? { by: first.by, reason: first.reason, since: first.since } : null;
}
