/**
 * What is spoken between dispatchers and workers. It is raised by a change without which an older worker would do harm;
 * what an older one may do without is a feature. A worker that names none speaks the first.
 */
export const PROTOCOL = 2;

/** Of the release before the last one: its workers still get work. */
export const PROTOCOL_OLDEST = 1;

/** What a worker can do beyond the first protocol. `wakeable`: it hears SlotsWanted. */
export const WORKER_FEATURES = ['wakeable'] as const;
export type WorkerFeature = (typeof WORKER_FEATURES)[number];

/**
 * What a dispatcher can do beyond the first protocol. `result-indexes`: a report may name the index of a log or of artifacts
 * among its files. `absent-verdict`: a report may have the verdict `absent`. `source-names`: it keeps lists of the packages
 * of suites, see SourceNamesRequest.
 */
export const DISPATCHER_FEATURES = ['result-indexes', 'absent-verdict', 'source-names'] as const;
export type DispatcherFeature = (typeof DISPATCHER_FEATURES)[number];

/** Features that a message names at most. */
export const FEATURES_MAX = 100;
