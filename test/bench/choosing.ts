import { DispatcherState, step } from '@proctor/dispatch';
import { ARCH, leaseRequest, settings, waitingRun } from '../support/runs';
import type { Pair } from './pairs';

const DECISIONS = 2_000;

/** Handing out the best waiting run should cost about the same however many wait. */
export function choosing(fewWaiting: number, manyWaiting: number): Pair {
  return {
    name: `${DECISIONS} leases granted and handed back, ${manyWaiting} waiting against ${fewWaiting}`,
    measured: { what: `${manyWaiting} waiting`, run: decisions(manyWaiting) },
    baseline: { what: `${fewWaiting} waiting`, run: decisions(fewWaiting) },
    rounds: 9,
  };
}

function decisions(waiting: number): () => void {
  const runs = Array.from({ length: waiting }, (_, index) =>
    waitingRun(index + 1, { package: `package${index}`, priority: 1 + (index % 10) }),
  );
  const state = new DispatcherState(ARCH, 1, settings(), runs, 0);
  const request = leaseRequest();
  const { worker, incarnation, slot } = request;
  return () => {
    for (let decision = 0; decision < DECISIONS; decision += 1) {
      const { reply } = step(state, { kind: 'lease', request }, decision);
      if (!reply.lease) throw new Error('a waiting run was not granted');
      const { runId, attempt } = reply.lease;
      step(
        state,
        { kind: 'return', request: { worker, incarnation, slot, runId, attempt, reason: 'bench' } },
        decision,
      );
    }
  };
}
