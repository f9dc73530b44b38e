import type { Configuration } from '@proctor/config';

/** Injection token of a function that returns the current RetentionSettings. */
export const RETENTION_SETTINGS = Symbol('retention settings');

/** How long things are kept, and how older ones are removed. */
export type RetentionSettings = Configuration['retention'];
