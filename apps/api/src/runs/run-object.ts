import type { FactResource, ResultResource, Test } from '@proctor/resources';
import { timestamp } from '@proctor/contracts';
import type { Fact, TestResult } from '@proctor/contracts';
import type { Explanation } from '../dispatchers/explanation.service';

/**
 * One thing that happened to a run. Its id is its place in the run's story: gaps between the ids of the rows
 * would show how much happened to private runs meanwhile.
 */
export function factObject({ kind, state, attempt, actor, reason, at }: Fact, index: number): FactResource {
  return { id: index + 1, kind, state, attempt, actor, reason, at };
}

/** How one test of a run's package ended. */
export function testObject({ name, status, detail }: TestResult): Test {
  return { name, status, detail };
}

type WaitingRun = Pick<ResultResource, 'position' | 'ahead' | 'estimated_start' | 'reasons'>;

/** What a run has in addition while it waits. */
export function waitingObject({ position, ahead, estimatedStart, reasons }: Explanation): WaitingRun {
  return { position, ahead, estimated_start: estimatedStart && timestamp(estimatedStart), reasons };
}

/** A run that was asked for by its id: with its image, its tests and its whole story. */
export type RunObject = ResultResource & Required<Pick<ResultResource, 'image' | 'tests' | 'facts'>>;
