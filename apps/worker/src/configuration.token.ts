import type { Configuration } from '@proctor/config';

/**
 * The part of the configuration that a worker uses. Its limits can change at any time: read a value when you need it,
 * do not store it.
 */
export type WorkerProcessConfiguration = Pick<Configuration, 'worker'>;

/** Where a WorkerProcessConfiguration is injected. */
export const CONFIGURATION = Symbol('configuration');

/** Where a Clock is injected. */
export const CLOCK = Symbol('clock');
