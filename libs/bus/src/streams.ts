import {
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type JetStreamManager,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { setTimeout as delay } from 'node:timers/promises';
import {
  EVENT_STREAM,
  EVENT_STREAM_SUBJECTS,
  logFilter,
  logStream,
  reportFilter,
  reportStream,
  stagingFilter,
  stagingStream,
} from '@proctor/contracts';
import type { BusLimits } from './limits';

/** Of the server's answers. */
const INSUFFICIENT_STORAGE_CODE = 10047;
const NOT_STORED_CODE = 10077;
const UNAVAILABLE = 503;

/** How long a stream may be about to be made by another process. */
const BEING_MADE_MS = 200;

type NamedStream = Partial<StreamConfig> & { name: string };

/**
 * The stream of one architecture's reports. It holds one report of each subject and refuses a copy of it.
 * @throws JetStreamApiError and others when JetStream is not there yet or refuses
 */
export async function ensureReportStream(
  jsm: JetStreamManager,
  arch: string,
  limits: BusLimits,
): Promise<void> {
  await ensureStream(jsm, {
    name: reportStream(arch),
    subjects: [reportFilter(arch)],
    retention: RetentionPolicy.Workqueue,
    discard: DiscardPolicy.New,
    storage: StorageType.File,
    max_bytes: limits.reportsBytesMax,
    max_msgs_per_subject: 1,
    discard_new_per_subject: true,
  });
}

/**
 * The streams of one worker: its live logs, which forget their oldest, and its staging area, which refuses what is too
 * much. @throws as ensureReportStream
 */
export async function ensureWorkerStreams(
  jsm: JetStreamManager,
  worker: string,
  limits: BusLimits,
): Promise<void> {
  await ensureStream(jsm, {
    name: logStream(worker),
    subjects: [logFilter(worker)],
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    storage: StorageType.File,
    max_bytes: limits.logsBytesMax,
    max_age: nanos(limits.logsAgeMaxMs),
    max_msgs_per_subject: limits.logChunksPerAttemptMax,
  });
  await ensureStream(jsm, {
    name: stagingStream(worker),
    subjects: [stagingFilter(worker)],
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.New,
    storage: StorageType.File,
    allow_direct: true,
    max_bytes: limits.stagingBytesMax,
    max_age: nanos(limits.stagingAgeMaxMs),
  });
}

/**
 * The stream that all share. Creates what is missing and brings the limits up to date. Several schedulers may do so at
 * the same moment.
 * @throws JetStreamApiError and others when JetStream is not there yet or refuses
 */
export async function ensureStreams(jsm: JetStreamManager, limits: BusLimits): Promise<void> {
  await ensureStream(jsm, {
    name: EVENT_STREAM,
    subjects: [EVENT_STREAM_SUBJECTS],
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    storage: StorageType.File,
    max_bytes: limits.eventsBytesMax,
    max_age: nanos(limits.eventsAgeMaxMs),
  });
}

async function ensureStream(jsm: JetStreamManager, stream: NamedStream, isLast = false): Promise<void> {
  try {
    // The server answers with the existing stream when it has the same configuration.
    await jsm.streams.add(stream);
  } catch (error) {
    if (!(error instanceof JetStreamApiError)) throw error;
    // Another configuration, or another process makes it at this moment: then the server says "subjects overlap".
    if (await exists(jsm, stream.name)) return void (await jsm.streams.update(stream.name, stream));
    if (isLast) throw error;
    await delay(BEING_MADE_MS);
    await ensureStream(jsm, stream, true);
  }
}

async function exists(jsm: JetStreamManager, name: string): Promise<boolean> {
  try {
    await jsm.streams.info(name);
    return true;
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound) return false;
    throw error;
  }
}

/** True when the server has judged; false when JetStream is not there, or not yet. */
export function isRefusal(error: unknown): error is JetStreamApiError {
  return error instanceof JetStreamApiError && error.status !== UNAVAILABLE;
}

/** The server holds a message of the same subject, and the stream takes one of each. */
export function isCopy(error: unknown): boolean {
  return isNotStored(error) && error.message.includes('per subject');
}

/** The stream holds as many bytes as it may. */
export function isFull(error: unknown): boolean {
  return isNotStored(error) && error.message.includes('maximum bytes');
}

/** Which of its limits the stream has reached is told by the description alone. */
function isNotStored(error: unknown): error is JetStreamApiError {
  return error instanceof JetStreamApiError && error.code === NOT_STORED_CODE;
}

/** The refusal in words for the operator. */
export function explainRefusal(error: unknown, limits: BusLimits): string {
  if (!(error instanceof JetStreamApiError)) return String(error);
  if (error.code !== INSUFFICIENT_STORAGE_CODE) return error.message;
  const { reportsBytesMax, eventsBytesMax, logsBytesMax, stagingBytesMax } = limits;
  return (
    `nats-server may not store the ${eventsBytesMax} bytes that the streams reserve, ${reportsBytesMax} for each ` +
    `architecture and ${logsBytesMax + stagingBytesMax} for each worker (its jetstream max_file_store, or the disk)`
  );
}
