export { ExpiryPass, type PassOptions } from './expiry-pass';
export type { RemovedByRule } from './expiry-counts';
export { sweepOrphans, type OrphanSweep, type SweptOrphans } from './orphans';
export * from './rules';
