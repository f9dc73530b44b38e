export * from './journal';
export * from './journal-records';
export * from './ownership';
export * from './settings';
export * from './messages';
export { TRANSITIONS, stateAfter, IllegalTransition } from './lifecycle';
export { DispatcherState } from './dispatcher-state';
export { slotsToWake, type SlotsToWake } from './waking';
export { PACKAGES_REMEMBERED_MAX } from './durations';
export { believedSeconds, DURATION_MARGIN_SECONDS } from './believing';
export { step } from './step';
export type { Beyond } from './view';
export { keyOf, type UncountedPart } from './lines';
export {
  BANDS,
  bandOf,
  machineFigures,
  openSlots,
  queueFigures,
  WORKER_FIGURES,
  workerFigures,
  type QueueFigures,
  type WorkerFigure,
  type WorkerMachine,
} from './figures';
export { crashesOf, type CountedAttempt } from './crashes';
export { supersedes } from './superseding';
export { standingText } from './standing-details';
export { correct, stateOfLoaded, undoRefusedWrites, type Past } from './unwritten';
export type { StatusViewer } from './view';
