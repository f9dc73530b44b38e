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
import {
  EVENT_STREAM,
  EVENT_STREAM_SUBJECTS,
  LOG_STREAM,
  LOG_STREAM_SUBJECTS,
  REPORT_STREAM,
  REPORT_STREAM_SUBJECTS,
  STAGING_BUCKET,
} from '@proctor/contracts';
import { Objm } from '@nats-io/obj';
import type { JetStreamClient } from '@nats-io/jetstream';
import type { BusLimits } from './limits';

/** Of the server's answers. */
const INSUFFICIENT_STORAGE_CODE = 10047;
const UNAVAILABLE = 503;

type NamedStream = Partial<StreamConfig> & { name: string };

/** The stream behind the staging bucket. */
export const STAGING_STREAM = `OBJ_${STAGING_BUCKET}`;

/**
 * Creates what is missing and brings the limits up to date. Several processes may do so at the same moment.
 * @throws JetStreamApiError and others when JetStream is not there yet or refuses
 */
export async function ensureStreams(
  js: JetStreamClient,
  jsm: JetStreamManager,
  limits: BusLimits,
): Promise<void> {
  await ensureStream(jsm, {
    name: REPORT_STREAM,
    subjects: [REPORT_STREAM_SUBJECTS],
    retention: RetentionPolicy.Workqueue,
    discard: DiscardPolicy.New,
    storage: StorageType.File,
    max_bytes: limits.reportsBytesMax,
  });
  await ensureStream(jsm, {
    name: EVENT_STREAM,
    subjects: [EVENT_STREAM_SUBJECTS],
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    storage: StorageType.File,
    max_bytes: limits.eventsBytesMax,
    max_age: nanos(limits.eventsAgeMaxMs),
  });
  await ensureStream(jsm, {
    name: LOG_STREAM,
    subjects: [LOG_STREAM_SUBJECTS],
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    storage: StorageType.File,
    max_bytes: limits.logsBytesMax,
    max_age: nanos(limits.logsAgeMaxMs),
    max_msgs_per_subject: limits.logChunksPerAttemptMax,
  });
  await new Objm(js).create(STAGING_BUCKET, {
    storage: StorageType.File,
    max_bytes: limits.stagingBytesMax,
    ttl: nanos(limits.stagingAgeMaxMs),
  });
  await jsm.streams.update(STAGING_STREAM, {
    max_bytes: limits.stagingBytesMax,
    max_age: nanos(limits.stagingAgeMaxMs),
  });
}

async function ensureStream(jsm: JetStreamManager, stream: NamedStream): Promise<void> {
  try {
    // The server answers with the existing stream when it has the same configuration.
    await jsm.streams.add(stream);
  } catch (error) {
    if (!(error instanceof JetStreamApiError)) throw error;
    // Another configuration, or another process makes it at this moment: then the server says "subjects overlap".
    if (!(await exists(jsm, stream.name))) throw error;
    await jsm.streams.update(stream.name, stream);
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

/** The refusal in words for the operator. */
export function explainRefusal(error: unknown, limits: BusLimits): string {
  if (!(error instanceof JetStreamApiError)) return String(error);
  if (error.code !== INSUFFICIENT_STORAGE_CODE) return error.message;
  const { reportsBytesMax, eventsBytesMax, logsBytesMax, stagingBytesMax } = limits;
  const bytes = reportsBytesMax + eventsBytesMax + logsBytesMax + stagingBytesMax;
  return `nats-server may not store the ${bytes} bytes that the streams reserve (its jetstream max_file_store, or the disk)`;
}
