import type { FactResource, ResultResource, Test } from '@proctor/resources';
import { timestamp } from '@proctor/contracts';
import type { Fact, TestResult } from '@proctor/contracts';
import type { Explanation } from '../dispatchers/explanation.service';

/**
 * A fact of a run. Its id is its place in the run's history: gaps between ids of rows would reveal how much happened
 * to private runs.
 */
export function factObject({ kind, state, attempt, actor, reason, at }: Fact, index: number): FactResource {
  return { id: index + 1, kind, state, attempt, actor, reason, at };
}

/** The result of one test of a run's package. */
export function testObject({ name, status, detail }: TestResult): Test {
  return { name, status, detail };
}

type WaitingRun = Pick<ResultResource, 'position' | 'ahead' | 'estimated_start' | 'reasons'>;

/** Additional fields of a waiting run. */
export function waitingObject({ position, ahead, estimatedStart, reasons }: Explanation): WaitingRun {
  return { position, ahead, estimated_start: estimatedStart && timestamp(estimatedStart), reasons };
}

/** A single run with its image, its tests and its whole history. */
export type RunObject = ResultResource & Required<Pick<ResultResource, 'image' | 'tests' | 'facts'>>;
