import type { PackageStatus } from '@proctor/database';

/** A package that passed at its only run on a place. */
export const packageStatus = (name: string, change: Partial<PackageStatus> = {}): PackageStatus => ({
  package: name,
  suite: 'sid',
  arch: 'amd64',
  latest: { runId: 1, version: '1-1', date: new Date('2026-11-01T00:00:00Z'), verdict: 'pass' },
  previousVerdict: null,
  lastPass: null,
  failingSince: null,
  recovered: null,
  strip: [],
  flakiness: 0,
  isFlaky: false,
  durations: null,
  isLonger: false,
  ...change,
});
