import type { Readable } from 'node:stream';
import type { Fact, Grant, LogChunk, ReportOrigin } from '@proctor/contracts';

/** No process listens on the subject, the time for an answer is over, or there is no connection. */
export class NoAnswer extends Error {}

/** The other side answered that its handler failed; the message is its error's. */
export class RemoteError extends Error {}

/** A stream holds as many bytes as it may, and takes nothing new before something of it is gone. */
export class StreamFull extends Error {}

/** More bytes than a message may have: it was not sent, and never will be. */
export class MessageTooLarge extends Error {
  constructor(subject: string, bytes: number, bytesMax: number) {
    super(`a message on ${subject} has ${bytes} bytes, one may have at most ${bytesMax}`);
  }
}

/** A handler failed for a reason that has nothing to do with its message, as when the database is away. */
export class RetryLater extends Error {}

/** A request or signal as it arrived, not parsed yet. */
export interface BusMessage {
  subject: string;
  /** The payload, JSON if the sender keeps to the protocol. */
  readonly text: string;
  /** Of the payload and the headers; those of the text when absent. */
  bytes?: number;
  /** The IP address that a worker's request came from, as nats-server tells it; absent when it does not. */
  readonly from?: string | undefined;
  /** The id of the HTTP request on whose behalf it was sent, where there is one. */
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

/** What a handler resolves with whose report changed nothing: a worker may send so many of these, see BusLimits. */
export const IN_VAIN = 'in vain';

/**
 * Resolves when the report's effect is durable: it is acknowledged and never comes again. A rejection has it
 * redelivered after a while; one that was rejected `reportFailuresMax` times is refused, so that it holds nothing up.
 * RetryLater does not count, MalformedMessage has it refused at once. Resolves with IN_VAIN when it changed nothing.
 */
export type ReportHandler = (report: ReportMessage) => Promise<unknown>;

/**
 * Answers a report that cannot be handled: it never comes again once this has resolved. A rejection has it redelivered
 * after a while, to its handler first.
 * @param reason for people
 */
export type ReportRefusal = (report: ReportMessage, reason: string) => Promise<void>;

export interface ReportConsumption {
  /**
   * Takes no more reports and gives those not begun back at once; resolves when the handlers in flight are done,
   * at the latest after `drainTimeoutMs`.
   */
  stop(): Promise<void>;
}

export interface StagedContent {
  /** Bytes. */
  size: number;
  /** Lower-case hex. */
  sha256: string;
}

/** An upload into a worker's staging area: whole, under way, broken off or replaced. */
export interface StagedUpload {
  worker: string;
  /** Of this upload alone: another of the same name has another. */
  id: string;
  /** Null until the upload is whole, and again when another has taken its place. */
  name: string | null;
  /** How many of its chunks are there; rises while it is under way. */
  chunks: number;
}

/** What the staging area of one worker holds. */
export interface StagingContents {
  worker: string;
  bytes: number;
  bytesMax: number;
  messages: number;
  messagesMax: number;
  /** No more than there are messages. */
  uploads: StagedUpload[];
  /** What no reader can use, as a record that cannot be read; not all when there is much of it. For dropStray. */
  strays: string[];
}

/** The message bus: requests, signals, durable reports, events, live logs and the staging areas of workers. */
export abstract class Bus {
  /**
   * Asks and waits for the one answer.
   * @throws NoAnswer when no process listens, the time is over or there is no connection
   * @throws RemoteError when the handler failed
   */
  abstract request<T>(subject: string, body: object, timeoutMs: number): Promise<T>;

  /** Says "look again"; may be lost, and is while disconnected. Never throws. */
  abstract signal(subject: string, body: object): void;

  /**
   * Resolves once the worker's stream holds a report of this subject: this one, or one that waits already.
   * @throws NoAnswer while disconnected, or when no scheduler has made the stream yet
   * @throws StreamFull
   */
  abstract report(subject: string, body: object): Promise<void>;

  /** The reports to an architecture that the streams hold, of every kind: none of them is settled yet. */
  abstract listWaitingReports(arch: string): Promise<ReportOrigin[]>;

  /**
   * Makes the streams of what these workers report to an architecture, or brings the limits of those up to date that it has
   * not made before. It makes those again that are gone, as does each return of the connection for the workers of the latest
   * call. No worker may make a stream.
   */
  abstract prepareReports(arch: string, workers: readonly string[]): Promise<void>;

  /**
   * Resolves once the event stream holds the fact; rejects otherwise, at once while disconnected. One that was
   * published a short while before is not stored again.
   */
  abstract publishEvent(fact: Fact): Promise<void>;

  /** The events of an architecture that the stream still holds, oldest first, then as they come; see readLog. */
  abstract readEvents(arch: string, signal?: AbortSignal): AsyncIterable<Fact>;

  /** A chunk that was appended before (same grant and number) is not read again. */
  abstract appendLog(worker: string, grant: Grant, chunk: LogChunk): Promise<void>;

  /** The chunks from number `fromChunk` on, in order, as they come; ends when `signal` aborts, else with the reader. */
  abstract readLog(
    worker: string,
    grant: Grant,
    fromChunk: number,
    signal?: AbortSignal,
  ): AsyncIterable<LogChunk>;

  /** The chunks that there are now, in order. Rejects when `signal` aborts. */
  abstract readLogSoFar(worker: string, grant: Grant, signal: AbortSignal): AsyncIterable<LogChunk>;

  abstract purgeLog(worker: string, grant: Grant): Promise<void>;

  /**
   * Makes the streams of these workers' live logs and staging areas, or brings the limits of those up to date that it has not
   * made before. It makes those again that are gone, as does each return of the connection for all workers so far. No worker
   * may make a stream.
   */
  abstract prepareWorkers(workers: readonly string[]): Promise<void>;

  /**
   * Uploads into the worker's staging area; takes the place of content staged under the same name.
   * @throws StreamFull
   */
  abstract stage(worker: string, name: string, content: Readable): Promise<StagedContent>;

  /** Staged content, or null when nothing has that name. The stream fails when the content is damaged or replaced. */
  abstract readStaged(worker: string, name: string): Promise<Readable | null>;

  /** Removes staged content, if there is any. */
  abstract deleteStaged(worker: string, name: string): Promise<void>;

  /** What the staging areas hold, one area at a time, those that are empty left out. Rejects when `signal` aborts. */
  abstract listStaging(signal?: AbortSignal): AsyncIterable<StagingContents>;

  /** Removes this upload, if it is still there; one that has taken its place stays. */
  abstract deleteUpload(upload: Pick<StagedUpload, 'worker' | 'id' | 'name'>): Promise<void>;

  /** Removes one of the `strays` of a staging area. */
  abstract deleteStray(worker: string, stray: string): Promise<void>;

  /** Called after each return of the connection, streams checked. The returned function removes the listener. */
  abstract onReconnect(listener: () => void): () => void;

  /**
   * Called once the server has refused to let its user in again for ten seconds. The returned function removes the listener.
   */
  abstract onRefused(listener: () => void): () => void;

  abstract isConnected(): boolean;

  /** Sends what is waiting and disconnects. */
  abstract close(): Promise<void>;

  /** Receives requests and signals on a subject, in which a `*` stands for one token, also after reconnects, until unsubscribed. */
  abstract subscribe(subject: string, handler: (message: BusMessage) => void): () => void;

  /**
   * Receives no request on this subject for a while, whose sender asks far too much; it is answered that nobody listens. By default
   * nothing happens: within one process nobody floods.
   */
  shun(_subject: string, _forMs: number): void {}

  /** Resolves once every subscription made before it is in effect; rejects when there is no connection. */
  abstract flush(): Promise<void>;

  /**
   * Takes the reports of an architecture, those of each worker in order, several at a time. What is not settled in
   * `reportAckWaitMs` comes again. One process consumes an architecture; while there are two each gets all that comes.
   */
  abstract consumeReports(
    arch: string,
    handler: ReportHandler,
    refusal?: ReportRefusal,
  ): Promise<ReportConsumption>;
}
