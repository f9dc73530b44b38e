import type { AttemptOutcome } from '@proctor/contracts';
import type { AttemptRecord, RunRecord } from '@proctor/database';

const ENDED: Record<AttemptOutcome, string> = {
  finished: 'The test has ended.',
  failed: 'This attempt failed. This says nothing about the package.',
  expired: 'This attempt expired: its worker sent nothing for too long.',
  lost: 'This attempt was lost: its worker restarted.',
  returned: 'The worker returned this run.',
  cancelled: 'This attempt was cancelled.',
};

/** Describes the end of an attempt in a sentence; empty while it is running. */
export function endSentence({ outcome }: Pick<AttemptRecord, 'outcome'>): string {
  return outcome === null ? '' : ENDED[outcome];
}

/** The state of a run after one of its attempts has ended. */
interface Afterwards {
  /** Empty when this attempt was the last. */
  sentence: string;
  /** The latest attempt; null when it is this one. */
  attempt: number | null;
  /** Whether the run waits for another attempt. */
  isWaiting: boolean;
}

export function afterwards(
  run: Pick<RunRecord, 'attempt' | 'state'>,
  { attempt, outcome }: Pick<AttemptRecord, 'attempt' | 'outcome'>,
): Afterwards {
  if (run.attempt > attempt) {
    const had = run.state === 'finished' ? 'had' : 'has';
    return { sentence: `The run ${had} another attempt:`, attempt: run.attempt, isWaiting: false };
  }
  const isWaiting = outcome !== null && run.state !== 'finished';
  return { sentence: isWaiting ? 'The run is waiting for another attempt.' : '', attempt: null, isWaiting };
}
