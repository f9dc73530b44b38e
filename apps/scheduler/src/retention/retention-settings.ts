import type { Configuration } from '@proctor/config';

/** Injection token of a function that returns the current RetentionSettings. */
export const RETENTION_SETTINGS = Symbol('retention settings');

/** How long files and rows stay, and how they are removed. */
export type RetentionSettings = Configuration['retention'];
