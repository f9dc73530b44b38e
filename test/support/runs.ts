import type { FinishedReport, LeaseRequest, StartedReport } from '@proctor/contracts';
import type { DispatchedRun, DispatchSettings, LoadedRows, RegisteredWorker } from '@proctor/dispatch';
import { runRequest } from './run-request';

export const ARCH = 'amd64';
export const SUITE = 'trixie';
const INCARNATION = '00000000-0000-4000-8000-000000000001';

export function settings(changes: Partial<DispatchSettings> = {}): DispatchSettings {
  return {
    leaseTtlMs: 60_000,
    leaseRenewMs: 15_000,
    workerProtocolMin: 1,
    askAgainMs: 5_000,
    retry: { attemptsMax: 3, delayMs: 30_000, delayMaxMs: 600_000 },
    fairShare: { halfLifeMs: 3_600_000, weightOf: () => 1 },
    ageing: { stepMs: 21_600_000, stepsMax: 2 },
    caps: { perRequestorMax: Infinity, perPackageMax: Infinity, perSuiteMax: Infinity },
    window: { runsMax: Infinity, refillBelow: 0, blockRuns: 1 },
    blame: {
      failuresMax: 3,
      occasionsMax: 3,
      slowedMs: 5_000,
      slowedMaxMs: 60_000,
      canaryMs: 60_000,
      quarantineMs: 600_000,
      quarantineMaxMs: 3_600_000,
      canaryTimeoutMs: 600_000,
    },
    sizeClassOf: () => null,
    unknownDurationMs: 300_000,
    workerQuietMaxMs: 60_000,
    workersMax: 100,
    extraAptSources: new Map(),
    rejectedVersions: () => [],
    ...changes,
  };
}

export function waitingRun(runId: number, changes: Partial<DispatchedRun> = {}): DispatchedRun {
  // Some specs make 100,000 runs. A literal with a spread in front takes ten times as long on Node.js 20.
  return Object.assign(
    runRequest({ suite: SUITE, arch: ARCH }),
    {
      runId,
      requestor: 'ada',
      arrivedAt: runId,
      waitedMs: 0,
      attempt: 0,
      grantEpoch: 0,
      attemptsLost: 0,
      failedOn: [],
      lease: null,
      latestWorker: null,
      latestFailed: false,
      latestLost: null,
    },
    changes,
  );
}

/** The state that a dispatcher loads for an architecture with these runs and no past. */
export function loaded(runs: DispatchedRun[] = [], changes: Partial<LoadedRows> = {}): LoadedRows {
  const workers = registered('w', ...Array.from({ length: 100 }, (_, place) => `w${place}`));
  const nothing = { position: '', edges: [], judgements: [], usage: [], durations: [] };
  return { runs, restrictions: { pauses: [], drains: [] }, workers, ...nothing, ...changes };
}

/** Workers of the architecture, which may run private tests. */
export function registered(...names: string[]): RegisteredWorker[] {
  return names.map((worker) => {
    return { worker, architectures: [ARCH], mayRunPrivate: true, isRevoked: false };
  });
}

/** The ask of a worker that has the image ready. */
export function leaseRequest(changes: Partial<LeaseRequest> = {}): LeaseRequest {
  return {
    worker: 'w1',
    incarnation: INCARNATION,
    slot: 0,
    ask: '00000000-0000-4000-8000-00000000000a',
    testbeds: [{ suite: SUITE, backend: 'unshare', state: 'ready' }],
    variants: ['autopkgtest'],
    ...changes,
  };
}

export function startedReport(
  runId: number,
  attempt: number,
  changes: Partial<StartedReport> = {},
): StartedReport {
  return { worker: 'w1', incarnation: INCARNATION, slot: 0, runId, attempt, ...changes };
}

export function finishedReport(
  runId: number,
  attempt: number,
  changes: Partial<FinishedReport> = {},
): FinishedReport {
  return {
    ...startedReport(runId, attempt),
    verdict: 'pass',
    message: 'all tests passed',
    exitCode: 0,
    version: '1.0-1',
    durationSeconds: 7,
    files: [],
    ...changes,
  };
}
