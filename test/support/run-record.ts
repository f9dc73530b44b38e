import type { RunRecord } from '@proctor/database';
import { runRequest } from './run-request';

/** A waiting run. */
export function runRecord(changes: Partial<RunRecord> = {}): RunRecord {
  return {
    ...runRequest(),
    runId: 7,
    image: null,
    state: 'queued',
    verdict: null,
    cancelled: false,
    version: null,
    message: null,
    trouble: null,
    supersededBy: null,
    exitCode: null,
    attempt: 0,
    worker: null,
    createdAt: new Date('2026-11-20T10:00:00.100Z'),
    updatedAt: new Date('2026-11-20T10:00:00.100Z'),
    startedAt: null,
    finishedAt: null,
    durationSeconds: null,
    logSize: null,
    artifactsSize: null,
    logRemovedBy: null,
    artifactsRemovedBy: null,
    storyRemovedBy: null,
    retryOf: null,
    keyId: 1,
    requestor: 'alice',
    ...changes,
  };
}

/** The record of `runRecord` after the run has passed. */
export function finishedRunRecord(changes: Partial<RunRecord> = {}): RunRecord {
  return runRecord({
    state: 'finished',
    verdict: 'pass',
    version: '2.10-3',
    message: 'All tests passed',
    exitCode: 0,
    attempt: 2,
    worker: 'worker-1',
    updatedAt: new Date('2026-11-20T10:01:00Z'),
    startedAt: new Date('2026-11-20T10:00:29.900Z'),
    finishedAt: new Date('2026-11-20T10:01:00Z'),
    durationSeconds: 30,
    logSize: 1234,
    artifactsSize: 5678,
    ...changes,
  });
}
