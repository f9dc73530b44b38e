import type { WorkerResource } from '@proctor/resources';

/** The API's answer about a sound, idle worker on one architecture. */
export const workerObject = (change: Partial<WorkerResource> = {}): WorkerResource => ({
  name: 'w1',
  arch: 'amd64',
  slots: 2,
  busy: 0,
  standing: 'sound',
  reason: null,
  until: null,
  drained: null,
  problem: null,
  version: '1.0.0',
  protocol: 2,
  testbeds: [{ suite: 'sid', backend: 'unshare', state: 'ready' }],
  variants: ['autopkgtest'],
  size_classes: [],
  ...change,
});
