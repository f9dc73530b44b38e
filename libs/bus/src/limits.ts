import { MESSAGE_BYTES_MAX } from '@proctor/contracts';

/**
 * Sizes and times of the bus. They are applied to streams when a scheduler connects, serves an architecture or prepares
 * a worker. nats-server reserves the sizes of all streams out of its `max_file_store`.
 */
export interface BusLimits {
  /** How many servers of a cluster hold each stream; 1 without a cluster. */
  replicas: number;
  /**
   * Size of each stream of reports (of one worker to one architecture). When full it refuses new reports, which stay on
   * the worker's disk.
   */
  reportsBytesMax: number;
  /** Reports in such a stream. */
  reportsMax: number;
  /** Size of one report; like all sizes of messages, with its headers. */
  reportBytesMax: number;
  /** Size of the event stream; when full it drops the oldest. */
  eventsBytesMax: number;
  eventsAgeMaxMs: number;
  eventsMax: number;
  /** Size of each worker's stream of live logs; when full it drops the oldest chunks. */
  logsBytesMax: number;
  logsAgeMaxMs: number;
  /** Chunks in such a stream, and those of one attempt. */
  logsMax: number;
  logChunksPerAttemptMax: number;
  /** Size of one chunk: 64 KiB of a log are 86 KiB in base64. */
  logChunkBytesMax: number;
  /** Size of each worker's staging area; when full it refuses uploads. */
  stagingBytesMax: number;
  /** Messages in such an area: as many chunks as it has room for, and the records of some hundred results. */
  stagingMax: number;
  /** Size of one chunk of an upload, which has 128 KiB of content. */
  stagingChunkBytesMax: number;
  /** Uploads that were not fetched, complete or not, are deleted after this time. */
  stagingAgeMaxMs: number;
  /**
   * How long nats-server keeps the ids of messages that a worker publishes, to drop copies. It keeps them in memory,
   * however many they are, and each may have 64 KiB: so the time is short. Readers skip copies themselves.
   */
  idsKeptMs: number;
  /** A report that its consumer has neither settled nor renewed for this time is delivered again. */
  reportAckWaitMs: number;
  /** Handlers of one scope that run at the same time. */
  reportsInFlightMax: number;
  /**
   * Reports of one worker to one scope that are delivered but not acknowledged, including those that wait for
   * redelivery. Fewer than `reportsInFlightMax`, so that no worker alone keeps all handlers busy.
   */
  reportsPendingMax: number;
  /** Pause before the first redelivery of a refused report; doubles with each. */
  redeliveryDelayMinMs: number;
  redeliveryDelayMaxMs: number;
  /** A report whose handlers in one process failed so often is ended. */
  reportFailuresMax: number;
  /**
   * How many more reports of a worker may change nothing than change something, within `reportsInVainMs`. Beyond that
   * its reports are not read until this time is over.
   */
  reportsInVainMax: number;
  reportsInVainMs: number;
  /** How long stopping waits for running handlers. */
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
