import type { FinishedReport, LeaseRequest, StartedReport } from '@proctor/contracts';
import type { DispatchedRun, DispatchSettings } from '@proctor/dispatch';

export const ARCH = 'amd64';
export const SUITE = 'trixie';
const INCARNATION = '00000000-0000-4000-8000-000000000001';

export function settings(changes: Partial<DispatchSettings> = {}): DispatchSettings {
  return {
    leaseTtlMs: 60_000,
    leaseRenewMs: 15_000,
    askAgainMs: 5_000,
    attemptsMax: 3,
    retryDelayMs: 30_000,
    retryDelayMaxMs: 600_000,
    workerQuietMaxMs: 60_000,
    workersMax: 100,
    extraAptSources: new Map(),
    rejectedVersions: () => [],
    ...changes,
  };
}

export function waitingRun(runId: number, changes: Partial<DispatchedRun> = {}): DispatchedRun {
  return {
    runId,
    package: 'hello',
    suite: SUITE,
    arch: ARCH,
    backend: 'unshare',
    variant: 'autopkgtest',
    priority: 5,
    trigger: null,
    pinPackages: [],
    extraAptSources: [],
    isPrivate: false,
    requestorId: 1,
    arrivedAt: runId,
    attempt: 0,
    attemptsLost: 0,
    lease: null,
    latestWorker: null,
    ...changes,
  };
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
