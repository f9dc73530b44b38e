import type { Configuration } from '@proctor/config';

/** The part of the deployment's configuration that the api goes by. */
export type ApiConfiguration = Pick<Configuration, 'server' | 'extraAptSources' | 'rejectList'>;

/** Injects it. */
export const CONFIGURATION = Symbol('configuration');
