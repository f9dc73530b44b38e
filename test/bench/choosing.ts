import { DispatcherState, step, type DispatchedRun, type DispatchSettings } from '@proctor/dispatch';
import { randomUUID } from 'node:crypto';
import type { Pair } from './pairs';

const DECISIONS = 2_000;

const SETTINGS: DispatchSettings = {
  leaseTtlMs: 60_000,
  leaseRenewMs: 15_000,
  askAgainMs: 5_000,
  attemptsMax: 3,
  retryDelayMs: 30_000,
  retryDelayMaxMs: 600_000,
  workerQuietMaxMs: 60_000,
  workersMax: 1_000,
  extraAptSources: new Map(),
};

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
  const runs = Array.from({ length: waiting }, (_, index) => run(index + 1));
  const state = new DispatcherState('amd64', 1, SETTINGS, runs, 0);
  const slot = { worker: 'bench', incarnation: randomUUID(), slot: 0 };
  const testbeds = [{ suite: 'sid', backend: 'unshare', state: 'ready' as const }];
  const request = { ...slot, ask: randomUUID(), testbeds, variants: ['autopkgtest'] };
  return () => {
    for (let decision = 0; decision < DECISIONS; decision += 1) {
      const { reply } = step(state, { kind: 'lease', request }, decision);
      if (!reply.lease) throw new Error('a waiting run was not granted');
      const { runId, attempt } = reply.lease;
      step(state, { kind: 'return', request: { ...slot, runId, attempt, reason: 'bench' } }, decision);
    }
  };
}

function run(runId: number): DispatchedRun {
  return {
    ...{
      runId,
      requestorId: 1,
      arrivedAt: runId,
      attempt: 0,
      attemptsLost: 0,
      lease: null,
      latestWorker: null,
    },
    ...{
      package: `package${runId}`,
      suite: 'sid',
      arch: 'amd64',
      backend: 'unshare',
      variant: 'autopkgtest',
    },
    ...{ priority: 1 + (runId % 10), trigger: null, pinPackages: [], extraAptSources: [], isPrivate: false },
  };
}
