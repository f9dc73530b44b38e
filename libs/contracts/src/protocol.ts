import { UNTESTED, UNTESTED_VERDICTS } from './words';

/**
 * The version of the protocol between dispatchers and workers. It rises with a change that an older worker must know to do no harm;
 * a change that an older worker need not know is a feature. A worker that sends no version uses the first.
 */
export const PROTOCOL = 2;

/** The protocol of the release before the last one: its workers still get work. */
export const PROTOCOL_OLDEST = 1;

/** The abilities of a worker beyond the first protocol. `wakeable`: it receives SlotsWanted. */
export const WORKER_FEATURES = ['wakeable'] as const;
export type WorkerFeature = (typeof WORKER_FEATURES)[number];

/**
 * What a dispatcher can do beyond the first protocol. `result-indexes`: a report may name the index of a log or of artifacts
 * among its files. Those of UNTESTED: a report may have that verdict. `source-names`: it keeps lists of the packages of suites, see
 * SourceNamesRequest.
 */
export const DISPATCHER_FEATURES = [
  'result-indexes',
  ...UNTESTED_VERDICTS.map((verdict) => UNTESTED[verdict].feature),
  'source-names',
] as const;
export type DispatcherFeature = (typeof DISPATCHER_FEATURES)[number];

/** The most features that a message names. */
export const FEATURES_MAX = 100;
