import type { Configuration, LiveConfiguration } from '@proctor/config';

/**
 * The part of the configuration that the scheduler uses. It can change at any time: read a value when you need it, do
 * not store it.
 */
export type LiveSchedulerConfiguration = Pick<
  Configuration,
  'server' | 'scheduler' | 'store' | 'retention' | 'extraAptSources' | 'rejectList'
> &
  Pick<LiveConfiguration, 'onChange'>;

/** Injection token of the LiveSchedulerConfiguration. */
export const CONFIGURATION = Symbol('configuration');

/** Injection token of the Clock. */
export const CLOCK = Symbol('clock');

/** Injection token of the prom-client Registry with the metrics of this process. */
export const REGISTRY = Symbol('registry');
