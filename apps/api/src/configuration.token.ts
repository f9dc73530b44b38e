import type { Configuration, ConfigurationStatus } from '@proctor/config';

/**
 * The part of the deployment's configuration that the api uses. It may change before the next request, so no value of
 * it is stored.
 */
export type ApiConfiguration = Pick<Configuration, 'server' | 'extraAptSources' | 'rejectList'>;

/** Where an ApiConfiguration is injected. */
export const CONFIGURATION = Symbol('configuration');

/** Where a function is injected that returns a `ConfigurationStatus`. */
export const CONFIGURATION_STATUS = Symbol('configuration status');

/** Where a function is injected that returns `Settings`. */
export const SETTINGS = Symbol('settings');

/** Where the Registry of prom-client is injected that has the metrics of this process. */
export const REGISTRY = Symbol('registry');

/** The status of a configuration that does not change. */
export function fixedStatus(loadedAt = new Date()): () => ConfigurationStatus {
  return () => ({ loadedAt, problems: [], needsRestart: [] });
}
