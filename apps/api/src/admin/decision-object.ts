import type { Decision } from '@proctor/contracts';
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

/** What holds a suite queue back: of several pauses, the one that began first. */
export function pauseOf(pauses: PauseObject[], queue: { suite: string; arch: string }): Decision | null {
  const holding = pauses
    .filter(
      ({ suite, arch }) => (suite ?? queue.suite) === queue.suite && (arch ?? queue.arch) === queue.arch,
    )
    .sort((a, b) => (a.since < b.since ? -1 : 1));
  const [first] = holding;
  return first ? { by: first.by, reason: first.reason, since: first.since } : null;
}
