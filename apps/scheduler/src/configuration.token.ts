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

/** Where a LiveSchedulerConfiguration is injected. */
export const CONFIGURATION = Symbol('configuration');

/** Where a Clock is injected. */
export const CLOCK = Symbol('clock');

/** Where the Registry of prom-client is injected that has the metrics of this process. */
export const REGISTRY = Symbol('registry');
