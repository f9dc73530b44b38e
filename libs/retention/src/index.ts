export { ExpiryPass } from './expiry-pass';
export type { RemovedByRule } from './expiry-counts';
export { sweepOrphans } from './orphans';
export * from './rules';
