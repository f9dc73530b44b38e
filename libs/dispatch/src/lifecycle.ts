import type { RunState } from '@proctor/contracts';
import type { DispatchedRun, RunOutcome } from './journal-records';

/** What happens to a run after the api has accepted it. docs/run-life-cycle.md draws the same table. */
export const TRANSITIONS = [
  { name: 'grant', from: 'queued', to: 'leased' },
  { name: 'start', from: 'leased', to: 'running' },
  { name: 'requeue', from: 'leased', to: 'queued' },
  { name: 'requeue', from: 'running', to: 'queued' },
  { name: 'requeue', from: 'queued', to: 'queued' },
  { name: 'finish', from: 'leased', to: 'finished' },
  { name: 'finish', from: 'running', to: 'finished' },
  { name: 'finish', from: 'queued', to: 'finished' },
  { name: 'correct', from: 'finished', to: 'finished' },
  { name: 'cancel', from: 'queued', to: 'finished' },
  { name: 'cancel', from: 'leased', to: 'finished' },
  { name: 'cancel', from: 'running', to: 'finished' },
] as const satisfies readonly { name: string; from: RunState; to: RunState }[];

type Transition = (typeof TRANSITIONS)[number]['name'];

/** A transition that is not possible from this state: a bug, never an input. */
export class IllegalTransition extends Error {
  constructor(from: RunState, transition: Transition) {
    super(`a run that is ${from} has no transition ${transition}`);
  }
}

/** The state after a transition. @throws IllegalTransition if it is not possible from this state */
export function stateAfter(from: RunState, transition: Transition): RunState {
  const match = TRANSITIONS.find((entry) => entry.from === from && entry.name === transition);
  if (!match) throw new IllegalTransition(from, transition);
  return match.to;
}

/** The state of a run that is not finished. */
export function stateOf({ lease }: Pick<DispatchedRun, 'lease'>): RunState {
  return lease ? lease.state : 'queued';
}

/** Why an attempt ended without a result that ends its run. */
export interface AttemptEnd {
  outcome: 'expired' | 'lost' | 'returned' | 'failed';
  /** The reason, for people. */
  reason: string;
  /** The result that a failed attempt left. */
  result?: RunOutcome;
}
