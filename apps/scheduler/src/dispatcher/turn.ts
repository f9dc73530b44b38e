import { step, type AttemptToStop, type DispatcherState, type Journal, type Step } from '@proctor/dispatch';
import type { Tenure } from '../ownership/tenure';
import type { Letter } from './mailbox';

/** The architecture is not, or no longer, owned by this process: nothing may be answered. */
export class NotOwner extends Error {
  constructor(arch: string) {
    super(`this scheduler does not own ${arch}`);
  }
}

/** Not handled, through no fault of the message: asking again later helps. */
export class NotHandled extends Error {}

/** What others should hear of a turn, now that it is committed. */
export interface TurnNews {
  /** Runs became available. */
  workWaiting: boolean;
  stops: AttemptToStop[];
  /** Something was committed. */
  hasWritten: boolean;
}

/**
 * Handles the messages in order at one time, commits their writes in one transaction, and answers all.
 * Whatever it throws, nothing was answered and the state is good for nothing any more.
 * @throws StaleEpoch, NotOwner when the tenure is over
 */
export async function takeTurn(
  state: DispatcherState,
  letters: Letter[],
  now: number,
  journal: Journal,
  tenure: Tenure,
): Promise<TurnNews> {
  const steps: Step[] = letters.map(({ message }) => step(state, message, now));
  const writes = steps.flatMap((taken) => taken.writes);
  if (writes.length > 0) await journal.commit(tenure.arch, tenure.epoch, writes);
  if (!tenure.holds()) throw new NotOwner(tenure.arch);
  letters.forEach((letter, place) => letter.resolve(steps[place]?.reply));
  return {
    workWaiting: steps.some((taken) => taken.workWaiting === true),
    stops: steps.flatMap((taken) => taken.stops ?? []),
    hasWritten: writes.length > 0,
  };
}
