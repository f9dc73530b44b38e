import { timestamp } from '@proctor/contracts';
import type { Fact } from '@proctor/contracts';
import type { Explanation } from '../dispatchers/explanation.service';
import type { ResultObject } from './result-object';

/** One thing that happened to a run. */
export function factObject({ factId, kind, state, attempt, actor, reason, at }: Fact) {
  return { id: factId, kind, state, attempt, actor, reason, at };
}

export type FactObject = ReturnType<typeof factObject>;

/** What is told of a run while it waits, besides. */
export function waitingObject({ position, ahead, estimatedStart, reasons }: Explanation) {
  return { position, ahead, estimated_start: estimatedStart && timestamp(estimatedStart), reasons };
}

export type WaitingObject = ReturnType<typeof waitingObject>;

/** A run that was asked for by its id: with its whole story. */
export type RunObject = ResultObject & Partial<WaitingObject> & { facts: FactObject[] };
