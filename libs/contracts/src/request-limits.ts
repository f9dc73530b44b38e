/** Limits of the requests of one worker, for each kind and each architecture. */
export interface RequestLimits {
  /** Requests in a second; twice as many at once. */
  perSecondMax: number;
  /** Their bytes in a second; twice as many at once. */
  bytesPerSecondMax: number;
  /** How many further requests wait to be answered late; others are refused. */
  lateMax: number;
  /** How long the requests of a worker are ignored after some were refused; longer each time, up to `shunMaxMs`. */
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
