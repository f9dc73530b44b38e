/** What a scheduler takes of the requests of one worker, of each kind and for each architecture. */
export interface RequestLimits {
  /** Requests in a second; twice as many at once. */
  perSecondMax: number;
  /** Their bytes in a second; twice as many at once. */
  bytesPerSecondMax: number;
  /** Requests beyond that which wait to be answered late; more are refused. */
  lateMax: number;
  /** How long nobody listens to a worker whose requests had to be refused; longer each time, up to the second. */
  shunMinMs: number;
  shunMaxMs: number;
}

export const REQUEST_LIMITS: RequestLimits = {
  perSecondMax: 500,
  bytesPerSecondMax: 4 * 1024 ** 2,
  lateMax: 100,
  shunMinMs: 1_000,
  shunMaxMs: 60_000,
};
