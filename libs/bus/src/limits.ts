/**
 * Sizes and times of the bus. Streams take theirs when a scheduler connects, serves an architecture or hears a worker. nats-server reserves the sizes of all streams out of its `max_file_store`.
 */
export interface BusLimits {
  /** Of each architecture's stream of reports; full, it refuses new reports, which stay on the disks of the workers. */
  reportsBytesMax: number;
  /** Of the event stream; full, it forgets its oldest. */
  eventsBytesMax: number;
  eventsAgeMaxMs: number;
  /** Of each worker's stream of live logs; full, it forgets its oldest chunks. */
  logsBytesMax: number;
  logsAgeMaxMs: number;
  logChunksPerAttemptMax: number;
  /** Of each worker's staging area; full, it refuses uploads. */
  stagingBytesMax: number;
  /** Uploads that nobody took away, whole or broken off, are dropped after this. */
  stagingAgeMaxMs: number;
  /** A report that its consumer stays silent about for this long goes to another. */
  reportAckWaitMs: number;
  /** Handlers of one scope that run at the same time. */
  reportsInFlightMax: number;
  /** Reports of one scope that are delivered and not yet acknowledged, refused ones that wait for redelivery included. */
  reportsPendingMax: number;
  /** Wait before the first redelivery of a refused report; doubles with each. */
  redeliveryDelayMinMs: number;
  redeliveryDelayMaxMs: number;
  /** A report that its handlers in one process refused so often is ended. */
  reportFailuresMax: number;
  /**
   * Reports of one worker that change nothing beyond those that count, in `reportsInVainMs`: what it reports beyond that is dropped unread until
   * this time is over. It loses nothing: it repeats what it was not told the end of.
   */
  reportsInVainMax: number;
  reportsInVainMs: number;
  /** How long stopping waits for handlers in flight. */
  drainTimeoutMs: number;
}

const MIB = 1024 ** 2;
const DAY_MS = 24 * 60 * 60 * 1000;

export const BUS_LIMITS: BusLimits = {
  reportsBytesMax: 64 * MIB,
  eventsBytesMax: 256 * MIB,
  eventsAgeMaxMs: 7 * DAY_MS,
  logsBytesMax: 64 * MIB,
  logsAgeMaxMs: 7 * DAY_MS,
  logChunksPerAttemptMax: 200_000,
  stagingBytesMax: 2048 * MIB,
  stagingAgeMaxMs: 7 * DAY_MS,
  reportAckWaitMs: 10_000,
  reportsInFlightMax: 50,
  reportsPendingMax: 1000,
  redeliveryDelayMinMs: 1000,
  redeliveryDelayMaxMs: 30_000,
  reportFailuresMax: 10,
  reportsInVainMax: 200,
  reportsInVainMs: 10_000,
  drainTimeoutMs: 10_000,
};
