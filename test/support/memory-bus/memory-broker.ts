import { systemClock, type Clock } from '@proctor/clock';
import { isOnSubject, type LogChunk } from '@proctor/contracts';
import type { BusMessage } from '@libs/bus/src/bus';
import { BUS_LIMITS, type BusLimits } from '@libs/bus/src/limits';
import { MemoryEvents } from './memory-events';
import { MemoryReports } from './memory-reports';
import { MemoryStaging } from './memory-staging';
import { Waiters } from './waiters';

/**
 * A message on its way: a `report` to the stream, its `delivery` to a consumer and the `acknowledgement` back; a
 * `request` and its `answer`; a `signal`.
 */
export interface Travelling {
  kind: 'request' | 'answer' | 'signal' | 'report' | 'delivery' | 'acknowledgement';
  subject: string;
  text: string;
}

/** The fate of a message. `twice`: it arrives two times. */
export type Fate = 'deliver' | 'drop' | 'twice' | { delayMs: number };

export interface MemoryBrokerOptions {
  clock?: Clock;
  /** Decides about each message; every one is delivered when absent. */
  deliver?: (message: Travelling) => Fate;
  limits?: Partial<BusLimits>;
}

interface SequencedChunk {
  sequence: number;
  chunk: LogChunk;
}

export interface MemorySubscriber {
  isConnected(): boolean;
  receive(message: BusMessage): void;
}

/** One NATS server for the clients of one process. */
export class MemoryBroker {
  readonly clock: Clock;
  readonly limits: BusLimits;
  readonly reports: MemoryReports;
  readonly events = new MemoryEvents();
  readonly staging: MemoryStaging;
  private readonly fateOf: (message: Travelling) => Fate;
  private readonly subscribers = new Map<string, Set<MemorySubscriber>>();
  private readonly logs = new Map<string, SequencedChunk[]>();
  private logSequence = 0;
  private readonly logWaiters = new Waiters();

  constructor(options: MemoryBrokerOptions = {}) {
    this.clock = options.clock ?? systemClock;
    this.limits = { ...BUS_LIMITS, ...options.limits };
    this.fateOf = options.deliver ?? (() => 'deliver');
    this.reports = new MemoryReports(this);
    this.staging = new MemoryStaging(this.limits);
  }

  /** Calls `arrive` as often and as late as fate wills, never within the sender's own turn. False when it is lost. */
  travel(message: Travelling, arrive: () => void): boolean {
    const fate = this.fateOf(message);
    if (fate === 'drop') return false;
    if (typeof fate === 'object') {
      this.clock.after(fate.delayMs, arrive);
      return true;
    }
    queueMicrotask(arrive);
    if (fate === 'twice') queueMicrotask(arrive);
    return true;
  }

  subscribe(subject: string, subscriber: MemorySubscriber): () => void {
    const subscribers = this.subscribers.get(subject) ?? new Set();
    this.subscribers.set(subject, subscribers.add(subscriber));
    return () => subscribers.delete(subscriber);
  }

  /** False when the subject has no listener. */
  publish(kind: 'request' | 'signal', message: BusMessage): boolean {
    const listening = this.listening(message.subject);
    for (const { subscribers, subscriber } of listening) {
      this.travel({ kind, subject: message.subject, text: message.text }, () => {
        if (subscribers.has(subscriber) && subscriber.isConnected()) subscriber.receive(message);
      });
    }
    return listening.length > 0;
  }

  private listening(subject: string): { subscribers: Set<MemorySubscriber>; subscriber: MemorySubscriber }[] {
    return [...this.subscribers]
      .filter(([pattern]) => isOnSubject(pattern, subject))
      .flatMap(([, subscribers]) => [...subscribers].map((subscriber) => ({ subscribers, subscriber })))
      .filter(({ subscriber }) => subscriber.isConnected());
  }

  appendLog(log: string, chunk: LogChunk): void {
    const chunks = this.logs.get(log) ?? [];
    this.logs.set(log, chunks);
    if (chunks.some((stored) => stored.chunk.chunk === chunk.chunk)) return;
    chunks.push({ sequence: ++this.logSequence, chunk: structuredClone(chunk) });
    this.logWaiters.wake(log);
  }

  /** The first chunk that was appended after the one with that sequence number; 0 is before all. */
  logChunkAfter(log: string, sequence: number): SequencedChunk | undefined {
    return this.logs.get(log)?.find((stored) => stored.sequence > sequence);
  }

  logChunks(log: string): LogChunk[] {
    return (this.logs.get(log) ?? []).map(({ chunk }) => chunk);
  }

  /** Resolves when a chunk is appended or the signal aborts. */
  logChanges(log: string, signal?: AbortSignal): Promise<void> {
    return this.logWaiters.wait(log, signal);
  }

  purgeLog(log: string): void {
    this.logs.delete(log);
  }

  /** Simulates that the server has lost the files of JetStream: the contents of the streams and the bucket are gone. */
  loseFiles(): void {
    this.reports.lose();
    this.events.lose();
    this.staging.lose();
    this.logs.clear();
  }
}
