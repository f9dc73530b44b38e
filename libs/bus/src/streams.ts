import {
  AckPolicy,
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  type ConsumerConfig,
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
  MESSAGE_BYTES_MAX,
  reportsOfWorker,
  reportStream,
  sharedReportStream,
  stagingFilter,
  stagingStream,
} from '@proctor/contracts';
import { reportInbox } from './accounts';
import type { BusLimits } from './limits';

/** Codes of the server's answers. */
const INSUFFICIENT_STORAGE_CODE = 10047;
const NOT_STORED_CODE = 10077;
const CONSUMER_EXISTS_CODE = 10148;
const UNAVAILABLE = 503;

/** How long to wait for a stream that another process is creating. */
const BEING_MADE_MS = 200;

type NamedStream = Partial<StreamConfig> & { name: string };

/**
 * Raise it with each change of the streams' configuration in this file. It is stored in the description of each stream,
 * and a process with a lower revision does not change the stream: so an older scheduler that reconnects reverts
 * nothing.
 */
const REVISION = 2;
const DESCRIPTION = 'Proctor, limits ';

/**
 * The stream of the reports of one worker to one architecture, and the consumer that delivers it to the scheduler that
 * serves the architecture. It holds one report of each subject and refuses copies. It never drops a report, whatever
 * its age: a report may wait for as long as the architecture has no scheduler. A report that it refuses stays on the
 * worker's disk.
 * @throws JetStreamApiError and others when JetStream is not there yet or refuses
 */
export async function prepareReportStream(
  jsm: JetStreamManager,
  arch: string,
  worker: string,
  limits: BusLimits,
): Promise<void> {
  const name = reportStream(arch, worker);
  await prepareStream(jsm, limits, {
    name,
    subjects: [reportsOfWorker(arch, worker)],
    retention: RetentionPolicy.Workqueue,
    discard: DiscardPolicy.New,
    storage: StorageType.File,
    max_bytes: limits.reportsBytesMax,
    max_msgs: limits.reportsMax,
    max_msg_size: limits.reportBytesMax,
    max_msgs_per_subject: 1,
    discard_new_per_subject: true,
    duplicate_window: nanos(limits.idsKeptMs),
  });
  await prepareConsumer(jsm, name, {
    durable_name: 'dispatcher',
    deliver_subject: reportInbox(arch),
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(limits.reportAckWaitMs),
    max_ack_pending: limits.reportsPendingMax,
    max_deliver: -1,
  });
}

/**
 * The stream of earlier versions has the subjects of the streams that replace it. It loses its subjects and its
 * content: the workers have that on their disks, and send it again. No scheduler may delete a stream.
 * @throws as ensureReportStream
 */
export async function retireSharedReportStream(jsm: JetStreamManager, arch: string): Promise<void> {
  const name = sharedReportStream(arch);
  await jsm.streams.update(name, { subjects: [`proctor.retired.${arch}`], max_bytes: 1 });
  await jsm.streams.purge(name);
}

/**
 * Prepares the streams of one worker. When full, the stream of live logs drops its oldest entries, since the whole log
 * is stored at the end; the staging area refuses new content, since the worker still has it.
 * @throws as ensureReportStream
 */
export async function prepareWorkerStreams(
  jsm: JetStreamManager,
  worker: string,
  limits: BusLimits,
): Promise<void> {
  await prepareStream(jsm, limits, {
    name: logStream(worker),
    subjects: [logFilter(worker)],
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    storage: StorageType.File,
    max_bytes: limits.logsBytesMax,
    max_age: nanos(limits.logsAgeMaxMs),
    max_msgs: limits.logsMax,
    max_msg_size: limits.logChunkBytesMax,
    max_msgs_per_subject: limits.logChunksPerAttemptMax,
    duplicate_window: nanos(limits.idsKeptMs),
  });
  await prepareStream(jsm, limits, {
    name: stagingStream(worker),
    subjects: [stagingFilter(worker)],
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.New,
    storage: StorageType.File,
    allow_direct: true,
    max_bytes: limits.stagingBytesMax,
    max_msgs: limits.stagingMax,
    max_msg_size: limits.stagingChunkBytesMax,
    max_age: nanos(limits.stagingAgeMaxMs),
    duplicate_window: nanos(limits.idsKeptMs),
  });
}

/**
 * Creates the event stream, or updates its limits. Several schedulers may do so at the same moment.
 * @throws JetStreamApiError and others when JetStream is not there yet or refuses
 */
export async function prepareStreams(jsm: JetStreamManager, limits: BusLimits): Promise<void> {
  await prepareStream(jsm, limits, {
    name: EVENT_STREAM,
    subjects: [EVENT_STREAM_SUBJECTS],
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    storage: StorageType.File,
    max_bytes: limits.eventsBytesMax,
    max_msgs: limits.eventsMax,
    max_msg_size: MESSAGE_BYTES_MAX,
    max_age: nanos(limits.eventsAgeMaxMs),
  });
}

async function prepareStream(
  jsm: JetStreamManager,
  { replicas }: BusLimits,
  stream: NamedStream,
): Promise<void> {
  const description = `${DESCRIPTION}${REVISION}`;
  await saveStream(jsm, { ...stream, description, num_replicas: replicas });
}

async function saveStream(jsm: JetStreamManager, stream: NamedStream, isLast = false): Promise<void> {
  try {
    // The server answers with the existing stream when it has the same configuration.
    await jsm.streams.add(stream);
  } catch (error) {
    if (!(error instanceof JetStreamApiError)) throw error;
    // The stream has another configuration, or another process creates it at this moment: then the server answers
    // "subjects overlap".
    const present = await findStream(jsm, stream.name);
    if (present) {
      if (revisionOf(present) <= REVISION) await jsm.streams.update(stream.name, stream);
      return;
    }
    if (isLast) throw error;
    await delay(BEING_MADE_MS);
    await saveStream(jsm, stream, true);
  }
}

async function prepareConsumer(
  jsm: JetStreamManager,
  stream: string,
  consumer: Partial<ConsumerConfig> & { durable_name: string },
): Promise<void> {
  try {
    await jsm.consumers.add(stream, consumer);
  } catch (error) {
    // A server before 2.10 applies another configuration without this error.
    if (!(error instanceof JetStreamApiError) || error.code !== CONSUMER_EXISTS_CODE) throw error;
    await jsm.consumers.update(stream, consumer.durable_name, consumer);
  }
}

async function findStream(jsm: JetStreamManager, name: string): Promise<StreamConfig | null> {
  try {
    return (await jsm.streams.info(name)).config;
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound) return null;
    throw error;
  }
}

/** 0 for a stream without a revision. */
function revisionOf({ description = '' }: StreamConfig): number {
  return description.startsWith(DESCRIPTION) ? Number(description.slice(DESCRIPTION.length)) || 0 : 0;
}

/** True when JetStream refused; false when it is not there, or not yet. */
export function isRefusal(error: unknown): error is JetStreamApiError {
  return error instanceof JetStreamApiError && error.status !== UNAVAILABLE;
}

/** The stream holds a message of the same subject, and accepts one of each. */
export function isCopy(error: unknown): boolean {
  return isNotStored(error) && error.message.includes('per subject');
}

/** The stream has reached its limit of bytes or messages. */
export function isFull(error: unknown): boolean {
  return isNotStored(error) && /maximum (bytes|messages) exceeded/.test(error.message);
}

/**
 * Whether the error means that a message was not stored. Only the description of the error says which limit was
 * reached.
 */
function isNotStored(error: unknown): error is JetStreamApiError {
  return error instanceof JetStreamApiError && error.code === NOT_STORED_CODE;
}

/** Explains the refusal to the operator. */
export function explainRefusal(error: unknown, limits: BusLimits): string {
  if (!(error instanceof JetStreamApiError)) return String(error);
  if (error.code !== INSUFFICIENT_STORAGE_CODE) return error.message;
  const { reportsBytesMax, eventsBytesMax, logsBytesMax, stagingBytesMax } = limits;
  return (
    `nats-server may not store the ${eventsBytesMax} bytes that the streams reserve, and for each worker ` +
    `${logsBytesMax + stagingBytesMax}, and ${reportsBytesMax} for each of its architectures (its jetstream ` +
    'max_file_store, or the disk)'
  );
}
