import type { Configuration } from '@proctor/config';

/** Where a function is injected that returns the RetentionSettings of the moment. */
export const RETENTION_SETTINGS = Symbol('retention settings');

/** What is kept for how long, and how what is older is removed. */
export type RetentionSettings = Configuration['retention'];
