import { DispatcherState, step, type DispatchedRun } from '@proctor/dispatch';
import { ARCH, leaseRequest, loaded, settings, waitingRun } from '../support/runs';
import type { Pair } from './pairs';

const DECISIONS = 2_000;
const EXPLANATIONS = 200;
const REQUESTORS = 20;

/** Handing out the best waiting run should cost about the same however many wait. */
export function choosing(fewWaiting: number, manyWaiting: number): Pair {
  return {
    name: `${DECISIONS} leases granted and handed back, ${manyWaiting} waiting against ${fewWaiting}`,
    measured: { what: `${manyWaiting} waiting`, run: decisions(dispatcherWith(manyWaiting)) },
    baseline: { what: `${fewWaiting} waiting`, run: decisions(dispatcherWith(fewWaiting)) },
    rounds: 9,
  };
}

/** So should telling why a run waits. */
export function explaining(fewWaiting: number, manyWaiting: number): Pair {
  return {
    name: `${EXPLANATIONS} waiting runs explained, ${manyWaiting} waiting against ${fewWaiting}`,
    measured: { what: `${manyWaiting} waiting`, run: explanations(manyWaiting) },
    baseline: { what: `${fewWaiting} waiting`, run: explanations(fewWaiting) },
    rounds: 9,
  };
}

/** Bytes that a waiting run takes in a dispatcher's memory: with the run as it was read, and without. */
export function memoryPerRun(waiting: number): { whole: number; ours: number } {
  const before = heapBytes();
  const runs = someRuns(waiting);
  const read = heapBytes();
  const state = new DispatcherState({ arch: ARCH, epoch: 1 }, settings(), loaded(runs), 0);
  const after = heapBytes();
  if (state.runs.size !== runs.length)
    throw new Error(`${state.runs.size} runs are in memory, not ${waiting}`);
  return { whole: (after - before) / waiting, ours: (after - read) / waiting };
}

function heapBytes(): number {
  if (!globalThis.gc) throw new Error('memory is measured with node --expose-gc');
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

/** Ten priorities and some requestors, ages that lift some of them by a level. */
function someRuns(waiting: number): DispatchedRun[] {
  const { stepMs } = settings().ageing;
  return Array.from({ length: waiting }, (_, index) => {
    const waitedMs = Math.floor(((waiting - index) / waiting) * 2.5 * stepMs);
    return waitingRun(index + 1, {
      package: `package${index % 30_000}`,
      requestor: `user${(index * 7919) % REQUESTORS}`,
      priority: 1 + (index % 10),
      arrivedAt: 1.8e12 - waitedMs,
      waitedMs,
      pinPackages: [],
      extraAptSources: [],
    });
  });
}

function dispatcherWith(waiting: number): DispatcherState {
  return new DispatcherState({ arch: ARCH, epoch: 1 }, settings(), loaded(someRuns(waiting)), 0);
}

function decisions(state: DispatcherState): () => void {
  const request = leaseRequest();
  const { worker, incarnation, slot } = request;
  let now = 0;
  return () => {
    for (let decision = 0; decision < DECISIONS; decision += 1) {
      now += 1;
      const { reply } = step(state, { kind: 'lease', request }, now);
      if (!reply.lease) throw new Error('a waiting run was not granted');
      const { runId, attempt } = reply.lease;
      const back = { worker, incarnation, slot, runId, attempt, reason: 'bench' };
      step(state, { kind: 'return', request: back }, now);
    }
  };
}

function explanations(waiting: number): () => void {
  const state = dispatcherWith(waiting);
  for (let slot = 0; slot < 10; slot += 1) {
    step(state, { kind: 'lease', request: leaseRequest({ slot }) }, 0);
  }
  return () => {
    for (let index = 1; index <= EXPLANATIONS; index += 1) {
      const runId = Math.floor((index / EXPLANATIONS) * waiting);
      step(state, { kind: 'explain', runId }, 1_000);
    }
  };
}
