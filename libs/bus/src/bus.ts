import type { Readable } from 'node:stream';
import type { Fact, Grant, LogChunk, ReportOrigin } from '@proctor/contracts';

/**
 * No process receives the subject, the time for an answer is over, or there is no connection. Every method that waits for
 * the server may throw it.
 */
export class NoAnswer extends Error {}

/** The other side answered that its handler failed; the message is that of its error. */
export class RemoteError extends Error {}

/** A stream is full, and refuses new messages until some are removed. */
export class StreamFull extends Error {}

/** The message has more bytes than allowed: it was not sent. */
export class MessageTooLarge extends Error {
  constructor(subject: string, bytes: number, bytesMax: number) {
    super(`a message on ${subject} has ${bytes} bytes, one may have at most ${bytesMax}`);
  }
}

/**
 * A handler failed for a reason that has nothing to do with its message, for example because the database cannot be
 * reached.
 */
export class RetryLater extends Error {}

/** A request or signal as it arrived, not parsed yet. */
export interface BusMessage {
  subject: string;
  /** The payload, JSON if the sender keeps to the protocol. */
  readonly text: string;
  /** Length of payload and headers; when absent, that of the text. */
  bytes?: number;
  /** The IP address that a worker's request came from; absent when nats-server does not give it. */
  readonly from?: string | undefined;
  /** The id of the HTTP request for which it was sent, if any. */
  readonly request?: string | undefined;
  /** Sends the answer's JSON; absent when no answer is expected. Throws MessageTooLarge. */
  respond?: (text: string) => void;
}

/** A report as it arrived, not parsed yet. */
export interface ReportMessage {
  subject: string;
  text: string;
  /** True when it was delivered before, to this process or another. */
  redelivered: boolean;
}

/**
 * A handler resolves with this when its report changed nothing. A worker may send only so many of these, see BusLimits.
 */
export const IN_VAIN = 'in vain';

/**
 * Resolves when the report's effect is durable: the report is acknowledged and never comes again. A rejection makes it
 * come again after a while; after `reportFailuresMax` rejections it is refused, so that it does not delay others.
 * RetryLater is not counted, MalformedMessage refuses it at once. Resolves with IN_VAIN when it changed nothing.
 */
export type ReportHandler = (report: ReportMessage) => Promise<unknown>;

/**
 * Answers a report that cannot be handled: it never comes again once this has resolved. A rejection makes it come again
 * after a while, first to its handler.
 * @param reason for people
 */
export type ReportRefusal = (report: ReportMessage, reason: string) => Promise<void>;

export interface ReportConsumption {
  /**
   * Stops receiving reports and returns those not started at once. Resolves when the running handlers are done, at the
   * latest after `drainTimeoutMs`.
   */
  stop(): Promise<void>;
}

export interface StagedContent {
  /** Bytes. */
  size: number;
  /** Lower-case hex. */
  sha256: string;
}

/** An upload into a worker's staging area: complete, in progress, broken off or replaced. */
export interface StagedUpload {
  worker: string;
  /** Unique: another upload of the same name has another id. */
  id: string;
  /** Null until the upload is complete, and again when another upload has replaced it. */
  name: string | null;
  /** How many of its chunks are stored; grows while it is in progress. */
  chunks: number;
}

/** The contents of one worker's staging area. */
export interface StagingContents {
  worker: string;
  bytes: number;
  bytesMax: number;
  messages: number;
  messagesMax: number;
  /** Never more than `messages`. */
  uploads: StagedUpload[];
  /**
   * Messages that no reader can use, for example an unreadable record. The list is cut when it is long. For
   * deleteStray.
   */
  strays: string[];
}

/** The message bus: requests, signals, durable reports, events, live logs and the staging areas of workers. */
export abstract class Bus {
  /**
   * Sends a request and waits for its one answer.
   * @throws NoAnswer when no process receives it, the time is over or there is no connection
   * @throws RemoteError when the handler failed
   */
  abstract request<T>(subject: string, body: object, timeoutMs: number): Promise<T>;

  /** Sends a signal, which means "look again". It may be lost, and is lost while disconnected. Never throws. */
  abstract signal(subject: string, body: object): void;

  /**
   * Resolves when the worker's stream holds a report with this subject: this one, or an earlier one that still waits.
   * @throws NoAnswer also if no scheduler has created the stream yet
   * @throws StreamFull if the stream has no space
   */
  abstract report(subject: string, body: object): Promise<void>;

  /** The unsettled reports to an architecture, of every kind. */
  abstract listWaitingReports(arch: string): Promise<ReportOrigin[]>;

  /**
   * Creates the streams of the reports of these workers to an architecture, and updates the limits of those that this
   * process has not created before. It creates lost streams again, and so does each reconnect, for the workers of the
   * latest call. Workers may not create streams.
   */
  abstract prepareReports(arch: string, workers: readonly string[]): Promise<void>;

  /**
   * Resolves once the event stream holds the fact; rejects otherwise, at once while disconnected. A fact that was
   * published shortly before is not stored again.
   */
  abstract publishEvent(fact: Fact): Promise<void>;

  /**
   * The events of an architecture: first those that the stream still holds, oldest first, then new ones; see readLog.
   */
  abstract readEvents(arch: string, signal?: AbortSignal): AsyncIterable<Fact>;

  /** A chunk that was appended before (same grant and number) is not read twice. */
  abstract appendLog(worker: string, grant: Grant, chunk: LogChunk): Promise<void>;

  /** The chunks from number `fromChunk` on, in order, as they come; ends when `signal` aborts or the reader stops. */
  abstract readLog(
    worker: string,
    grant: Grant,
    fromChunk: number,
    signal?: AbortSignal,
  ): AsyncIterable<LogChunk>;

  /** The chunks that exist now, in order. Rejects when `signal` aborts. */
  abstract readLogSoFar(worker: string, grant: Grant, signal: AbortSignal): AsyncIterable<LogChunk>;

  abstract purgeLog(worker: string, grant: Grant): Promise<void>;

  /**
   * Creates the streams of these workers' live logs and staging areas, and updates the limits of those that this
   * process has not created before. It creates lost streams again, and so does each reconnect, for all workers so far.
   * Workers may not create streams.
   */
  abstract prepareWorkers(workers: readonly string[]): Promise<void>;

  /**
   * Uploads content into the worker's staging area, and replaces content with the same name.
   * @throws StreamFull if the staging area has no space
   */
  abstract stage(worker: string, name: string, content: Readable): Promise<StagedContent>;

  /** Staged content, or null when nothing has that name. The stream fails when the content is damaged or replaced. */
  abstract readStaged(worker: string, name: string): Promise<Readable | null>;

  /** Deletes staged content, if any. */
  abstract deleteStaged(worker: string, name: string): Promise<void>;

  /** Lists the contents of the staging areas, one area at a time, without empty ones. Rejects when `signal` aborts. */
  abstract listStaging(signal?: AbortSignal): AsyncIterable<StagingContents>;

  /** Deletes this upload, if it still exists; an upload that has replaced it stays. */
  abstract deleteUpload(upload: Pick<StagedUpload, 'worker' | 'id' | 'name'>): Promise<void>;

  /** Deletes one of the `strays` of a staging area. */
  abstract deleteStray(worker: string, stray: string): Promise<void>;

  /**
   * `listener` is called after each reconnect, once the streams are checked. The returned function removes the
   * listener.
   */
  abstract onReconnect(listener: () => void): () => void;

  /**
   * `listener` is called once the server has refused the user for ten seconds after a disconnect. The returned function
   * removes the listener.
   */
  abstract onRefused(listener: () => void): () => void;

  abstract isConnected(): boolean;

  /** Sends what is waiting and disconnects. */
  abstract close(): Promise<void>;

  /**
   * Receives requests and signals on a subject, in which a `*` stands for one token. The subscription continues after
   * reconnects. The returned function ends it.
   */
  abstract subscribe(subject: string, handler: (message: BusMessage) => void): () => void;

  /**
   * Stops receiving requests on this subject for a while, since its sender sends far too many; the server answers that
   * nothing receives them. By default this does nothing: within one process there is no flood.
   */
  shun(_subject: string, _forMs: number): void {}

  /** Resolves once all earlier subscriptions are in effect; rejects when there is no connection. */
  abstract flush(): Promise<void>;

  /**
   * Receives the reports of an architecture: of each worker in order, several at a time. A report that is not settled
   * within `reportAckWaitMs` comes again. One process at a time consumes an architecture; while two do, both receive
   * everything.
   */
  abstract consumeReports(
    arch: string,
    handler: ReportHandler,
    refusal?: ReportRefusal,
  ): Promise<ReportConsumption>;
}
