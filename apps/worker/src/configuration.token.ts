import type { Configuration } from '@proctor/config';

/** The part of the configuration that a worker goes by. Its limits may be others at the next use: no value of it is kept. */
export type WorkerProcessConfiguration = Pick<Configuration, 'worker'>;

/** Where a WorkerProcessConfiguration is injected. */
export const CONFIGURATION = Symbol('configuration');

/** Where a Clock is injected. */
export const CLOCK = Symbol('clock');
