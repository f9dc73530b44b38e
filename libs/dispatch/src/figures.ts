import type { MachineState } from '@proctor/contracts';
import type { DispatcherState } from './dispatcher-state';
import type { DispatchedRun } from './journal-records';
import { drainOf } from './restrictions';
import { livingWorkers } from './why-no-slot';

/** Groups of priorities, for monitors. */
export const BANDS = ['high', 'normal', 'low'] as const;
type Band = (typeof BANDS)[number];

const HIGH_FROM = 8;
const NORMAL_FROM = 4;

export function bandOf({ priority }: Pick<DispatchedRun, 'priority'>): Band {
  if (priority >= HIGH_FROM) return 'high';
  return priority >= NORMAL_FROM ? 'normal' : 'low';
}

/** The runs of one suite and band, private runs included. */
export interface QueueFigures {
  suite: string;
  band: Band;
  waiting: number;
  running: number;
  /** How long the oldest waiting run has waited, in milliseconds; 0 when none waits. */
  oldestMs: number;
}

/**
 * The state of a registered worker, for monitors: `silent` has sent no message for long, and no user has drained it.
 */
export const WORKER_FIGURES = ['sound', 'slowed', 'quarantined', 'drained', 'silent'] as const;
export type WorkerFigure = (typeof WORKER_FIGURES)[number];

/**
 * The suite queues as they are in memory. Runs outside memory are included as far as they are counted. This call
 * requests the missing counts, so the next call has them.
 */
export function queueFigures(state: DispatcherState, now: number): QueueFigures[] {
  const byPlace = new Map<string, QueueFigures>();
  const figuresOf = (run: Pick<DispatchedRun, 'suite' | 'priority'>): QueueFigures => {
    const band = bandOf(run);
    const key = `${run.suite} ${band}`;
    let figures = byPlace.get(key);
    if (!figures)
      byPlace.set(key, (figures = { suite: run.suite, band, waiting: 0, running: 0, oldestMs: 0 }));
    return figures;
  };
  for (const run of state.runs.values()) {
    const figures = figuresOf(run);
    if (run.lease) {
      figures.running += 1;
      continue;
    }
    figures.waiting += 1;
    figures.oldestMs = Math.max(figures.oldestMs, state.ageing.waitedMs(run, now));
  }
  for (const { edge, blocks } of state.lines.beyond)
    if (edge && blocks) figuresOf(edge).waiting += blocks.countKnown();
  return [...byPlace.values()];
}

/** A worker, and the state of its machine. */
export interface WorkerMachine extends MachineState {
  worker: string;
}

/** The number of registered workers of the architecture in each state. */
export function workerFigures(state: DispatcherState, now: number): Record<WorkerFigure, number> {
  const counts = { sound: 0, slowed: 0, quarantined: 0, drained: 0, silent: 0 };
  const living = new Set(livingWorkers(state, now).map(({ worker }) => worker));
  for (const worker of state.registered.namesFor(state.arch)) {
    if (drainOf(state.restrictions, worker)) counts.drained += 1;
    else if (!living.has(worker)) counts.silent += 1;
    else counts[state.judgements.standingOf(worker)] += 1;
  }
  return counts;
}

/** The state of the machine of each connected worker that reports it. */
export function machineFigures(state: DispatcherState, now: number): WorkerMachine[] {
  return livingWorkers(state, now).flatMap(({ worker, machine }) => (machine ? { worker, ...machine } : []));
}

/** The number of slots of the architecture that can get runs: of workers without a problem, neither drained nor quarantined. */
export function openSlots(state: DispatcherState, now: number): number {
  return livingWorkers(state, now)
    .filter(({ worker, problem }) => problem === undefined && !drainOf(state.restrictions, worker))
    .filter(({ worker }) => state.judgements.standingOf(worker) !== 'quarantined')
    .reduce((sum, { slots }) => sum + slots.size, 0);
}
