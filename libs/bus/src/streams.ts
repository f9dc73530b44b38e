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
import { Logger } from '@nestjs/common';
import {
  EVENT_STREAM,
  EVENT_STREAM_SUBJECTS,
  LOG_STREAM,
  LOG_STREAM_SUBJECTS,
  reportFilter,
  reportStream,
  STAGING_BUCKET,
} from '@proctor/contracts';
import { Objm } from '@nats-io/obj';
import type { JetStreamClient } from '@nats-io/jetstream';
import type { BusLimits } from './limits';

/** Of the server's answers. */
const INSUFFICIENT_STORAGE_CODE = 10047;
const SUBJECTS_OVERLAP_CODE = 10065;
const NOT_STORED_CODE = 10077;
const UNAVAILABLE = 503;

type NamedStream = Partial<StreamConfig> & { name: string };

/** Held the reports of all architectures, in a release before each had a stream of its own. */
const FORMER_REPORT_STREAM = 'PROCTOR_REPORTS';

/** The stream behind the staging bucket. */
export const STAGING_STREAM = `OBJ_${STAGING_BUCKET}`;

/**
 * The stream of one architecture's reports. It holds one report of each subject and refuses a copy of it.
 * @throws JetStreamApiError and others when JetStream is not there yet or refuses
 */
export async function ensureReportStream(
  jsm: JetStreamManager,
  arch: string,
  limits: BusLimits,
): Promise<void> {
  const stream: NamedStream = {
    name: reportStream(arch),
    subjects: [reportFilter(arch)],
    retention: RetentionPolicy.Workqueue,
    discard: DiscardPolicy.New,
    storage: StorageType.File,
    max_bytes: limits.reportsBytesMax,
    max_msgs_per_subject: 1,
    discard_new_per_subject: true,
  };
  try {
    await ensureStream(jsm, stream);
  } catch (error) {
    if (!isOverlap(error)) throw error;
    // Another scheduler may have deleted it since, or be about to have made this stream.
    await deleteFormerReportStream(jsm);
    await ensureStream(jsm, stream);
  }
}

/** Its subjects are those of all architectures. Workers deliver its reports again, from their disks. */
async function deleteFormerReportStream(jsm: JetStreamManager): Promise<void> {
  if (!(await exists(jsm, FORMER_REPORT_STREAM))) return;
  try {
    await jsm.streams.delete(FORMER_REPORT_STREAM);
  } catch (error) {
    // Another scheduler was faster.
    if (await exists(jsm, FORMER_REPORT_STREAM)) throw error;
    return;
  }
  new Logger('Bus').warn(
    `the stream ${FORMER_REPORT_STREAM} of an earlier version was deleted: workers deliver its reports again`,
  );
}

/**
 * The streams that all architectures share. Creates what is missing and brings the limits up to date. Several processes may do so at the same moment.
 * @throws JetStreamApiError and others when JetStream is not there yet or refuses
 */
export async function ensureStreams(
  js: JetStreamClient,
  jsm: JetStreamManager,
  limits: BusLimits,
): Promise<void> {
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

function isOverlap(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === SUBJECTS_OVERLAP_CODE;
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
  const bytes = eventsBytesMax + logsBytesMax + stagingBytesMax;
  return (
    `nats-server may not store the ${bytes} bytes that the streams reserve, and ${reportsBytesMax} for each ` +
    'architecture (its jetstream max_file_store, or the disk)'
  );
}
