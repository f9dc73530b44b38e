import type { RunEvent } from '@proctor/events';

/** A grant of a public run of hello. */
export function runEvent(change: Partial<RunEvent> = {}): RunEvent {
  return {
    ...{ factId: 1, runId: 7, place: 2, kind: 'granted', state: 'leased', attempt: 1, verdict: null },
    ...{ package: 'hello', suite: 'sid', arch: 'amd64', trigger: null, isPrivate: false },
    ...{ at: new Date('2026-01-01T00:00:01Z'), createdAt: new Date('2026-01-01T00:00:00Z') },
    ...{ keyId: 1, requestor: 'alice' },
    ...change,
  };
}
