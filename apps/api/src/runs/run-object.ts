import type { ResultResource } from '@proctor/resources';
import { timestamp } from '@proctor/contracts';
import type { Fact, TestResult } from '@proctor/contracts';
import type { Explanation } from '../dispatchers/explanation.service';
import type { imageObject } from './testbed-image';

/**
 * One thing that happened to a run. Its id is its place in the run's story: gaps between the ids of the rows would tell how
 * much happened to private runs meanwhile.
 */
export function factObject({ kind, state, attempt, actor, reason, at }: Fact, index: number) {
  return { id: index + 1, kind, state, attempt, actor, reason, at };
}

type FactObject = ReturnType<typeof factObject>;

/** How one test of a run's package ended. */
export function testObject({ name, status, detail }: TestResult) {
  return { name, status, detail };
}

type TestObject = ReturnType<typeof testObject>;

/** What a run has in addition while it waits. */
export function waitingObject({ position, ahead, estimatedStart, reasons }: Explanation) {
  return { position, ahead, estimated_start: estimatedStart && timestamp(estimatedStart), reasons };
}

type WaitingObject = ReturnType<typeof waitingObject>;

/** A run that was asked for by its id: with its image, its tests and its whole story. */
export type RunObject = ResultResource &
  Partial<WaitingObject> & {
    image: ReturnType<typeof imageObject>;
    tests: TestObject[];
    facts: FactObject[];
  };
