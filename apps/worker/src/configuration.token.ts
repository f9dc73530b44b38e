import type { Configuration } from '@proctor/config';

/**
 * The part of the configuration that a worker uses. Its limits can change at any time: read a value when you need it,
 * do not store it.
 */
export type WorkerProcessConfiguration = Pick<Configuration, 'worker'>;

/** Injection token of the WorkerProcessConfiguration. */
export const CONFIGURATION = Symbol('configuration');

/** Injection token of the Clock. */
export const CLOCK = Symbol('clock');
