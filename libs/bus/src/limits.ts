import { MESSAGE_BYTES_MAX } from '@proctor/contracts';

/**
 * Sizes and times of the bus. Streams take theirs when a scheduler connects, serves an architecture or prepares a worker.
 * nats-server reserves the sizes of all streams out of its `max_file_store`.
 */
export interface BusLimits {
  /** Servers of a cluster that have each stream; 1 without a cluster. */
  replicas: number;
  /**
   * Of each stream of reports, which one worker reports to one architecture by; full, it refuses new ones, which stay on the
   * worker's disk.
   */
  reportsBytesMax: number;
  /** Reports in such a stream. */
  reportsMax: number;
  /** Of one report, as all sizes of a message with its headers. */
  reportBytesMax: number;
  /** Of the event stream; full, it forgets its oldest. */
  eventsBytesMax: number;
  eventsAgeMaxMs: number;
  eventsMax: number;
  /** Of each worker's stream of live logs; full, it forgets its oldest chunks. */
  logsBytesMax: number;
  logsAgeMaxMs: number;
  /** Chunks in such a stream, and those of one attempt. */
  logsMax: number;
  logChunksPerAttemptMax: number;
  /** Of one chunk: 64 KiB of a log are 86 KiB in base64. */
  logChunkBytesMax: number;
  /** Of each worker's staging area; full, it refuses uploads. */
  stagingBytesMax: number;
  /** Messages in such an area: as many chunks as it has room for, and the records of some hundred results. */
  stagingMax: number;
  /** Of one chunk of an upload, which has 128 KiB. */
  stagingChunkBytesMax: number;
  /** Uploads that were not fetched, whole or broken off, are deleted after this. */
  stagingAgeMaxMs: number;
  /**
   * For how long nats-server keeps the id of a message that a worker publishes, to drop a copy. It keeps them in memory, however many
   * they are, and each may have 64 KiB: so for as short a time as it can. Readers pass over copies themselves.
   */
  idsKeptMs: number;
  /** A report that its consumer has neither settled nor renewed for this long is delivered to another. */
  reportAckWaitMs: number;
  /** Handlers of one scope that run at the same time. */
  reportsInFlightMax: number;
  /**
   * Reports of one worker to one scope that are delivered and not yet acknowledged, those that wait for redelivery included.
   * Fewer than `reportsInFlightMax`, so that no worker alone keeps all handlers busy.
   */
  reportsPendingMax: number;
  /** Wait before the first redelivery of a refused report; doubles with each. */
  redeliveryDelayMinMs: number;
  redeliveryDelayMaxMs: number;
  /** A report that its handlers in one process refused so often is ended. */
  reportFailuresMax: number;
  /**
   * Reports of one worker that change nothing beyond those that count, in `reportsInVainMs`: what it reports beyond that is
   * not read until this time is over.
   */
  reportsInVainMax: number;
  reportsInVainMs: number;
  /** How long stopping waits for handlers in flight. */
  drainTimeoutMs: number;
}

const KIB = 1024;
const MIB = 1024 ** 2;
const DAY_MS = 24 * 60 * 60 * 1000;

export const BUS_LIMITS: BusLimits = {
  replicas: 1,
  reportsBytesMax: 16 * MIB,
  reportsMax: 1000,
  reportBytesMax: MESSAGE_BYTES_MAX,
  eventsBytesMax: 256 * MIB,
  eventsAgeMaxMs: 7 * DAY_MS,
  eventsMax: 1_000_000,
  logsBytesMax: 64 * MIB,
  logsAgeMaxMs: 7 * DAY_MS,
  logsMax: 200_000,
  logChunksPerAttemptMax: 100_000,
  logChunkBytesMax: 128 * KIB,
  stagingBytesMax: 2048 * MIB,
  stagingMax: 20_000,
  stagingChunkBytesMax: 160 * KIB,
  stagingAgeMaxMs: 7 * DAY_MS,
  idsKeptMs: 100,
  reportAckWaitMs: 10_000,
  reportsInFlightMax: 50,
  reportsPendingMax: 20,
  redeliveryDelayMinMs: 1000,
  redeliveryDelayMaxMs: 30_000,
  reportFailuresMax: 10,
  reportsInVainMax: 200,
  reportsInVainMs: 10_000,
  drainTimeoutMs: 10_000,
};
