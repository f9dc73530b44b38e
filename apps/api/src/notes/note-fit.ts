import type { Note, RunFailure } from '@proctor/database';

/** A run beside which notes are shown. */
export interface NotedRun {
  runId: number;
  package: string;
  suite: string;
  arch: string;
  /** Null while it has not finished. */
  finishedAt: Date | null;
  /** Null for one that has not failed. */
  failure: RunFailure | null;
}

/** Whether a note says something of a run. */
export function fits(note: Note, run: NotedRun): boolean {
  if (note.removedAt !== null) return false;
  if (note.runId === run.runId) return true;
  if (!isAbout(note, run)) return false;
  // On no run: it holds until it is removed.
  if (note.runId === null) return true;
  const isOver = note.withdrawnAt !== null && (run.finishedAt === null || run.finishedAt >= note.withdrawnAt);
  return !isOver && run.failure !== null && failsAlike(note, run.failure);
}

/** Whether the run is of the package, place or error that the note is about. */
function isAbout(note: Note, { package: name, suite, arch, failure }: NotedRun): boolean {
  if (note.subject === 'error') return failure !== null && note.signature === failure.signature;
  if (note.package !== name) return false;
  return note.subject === 'package' || (note.suite === suite && note.arch === arch);
}

/** By the first error where both have one, else by which tests have failed. */
export function failsAlike(one: RunFailure, other: RunFailure): boolean {
  if (one.signature !== null && other.signature !== null) return one.signature === other.signature;
  return [...one.failingTests].sort().join('\n') === [...other.failingTests].sort().join('\n');
}
