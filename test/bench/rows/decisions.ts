import { DispatcherState, step, type DispatchedRun } from '@proctor/dispatch';
import { ARCH, leaseRequest, loaded, settings, waitingRun } from '@test/support/runs';
import type { OpenRow, Row } from '../row';

const DECISIONS = 2_000;
const REQUESTORS = 20;

/** Handing out the best waiting run should cost about the same however many wait. */
export const decisions: Row = {
  name: 'decisions',
  what: 'a lease granted, begun and handed back by the rules of a dispatcher with 1,000,000 waiting',
  against: 'the same with 1,000 waiting',
  figures: [{ what: '', unit: 'µs', of: 'microseconds', against: 'microseconds', mark: { atMost: 1.2 } }],
  rounds: 15,
  open(place): Promise<OpenRow> {
    const [few, many] = [1_000, place.size(1_000_000, 10_000)].map(decisionsWith);
    return Promise.resolve({
      measured: () => Promise.resolve({ microseconds: many!() }),
      bare: () => Promise.resolve({ microseconds: few!() }),
      close: () => Promise.resolve(),
    });
  },
};

/** @returns a function that decides so often, and returns how long one decision took */
function decisionsWith(waiting: number): () => number {
  const state = new DispatcherState({ arch: ARCH, epoch: 1 }, settings(), loaded(someRuns(waiting)), 0);
  const request = leaseRequest();
  const { worker, incarnation, slot } = request;
  let now = 0;
  return () => {
    const startedAt = performance.now();
    for (let decision = 0; decision < DECISIONS; decision += 1) {
      now += 1;
      const { reply } = step(state, { kind: 'lease', request }, now);
      if (!reply.lease) throw new Error('a waiting run was not granted');
      const { runId, attempt } = reply.lease;
      // A slot that hands back what it did not begin would rest.
      step(state, { kind: 'started', report: { worker, incarnation, slot, runId, attempt } }, now);
      const back = { worker, incarnation, slot, runId, attempt, reason: 'bench' };
      step(state, { kind: 'return', request: back }, now);
    }
    return ((performance.now() - startedAt) * 1000) / DECISIONS;
  };
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
