import { once } from 'node:events';
import type { EventWindow, RunEvent } from '@proctor/events';
import type { Response } from 'express';
import type { EventListener } from './event-streams';
import { eventRetry } from '../http/event-retry';

/** Proxies close a connection on which nothing is sent for longer. */
const COMMENT_EVERY_MS = 15_000;
/** A client is disconnected if it reads nothing for this long while missed events or the last message are sent. */
const STALLED_MS = 30_000;
/** The maximum number of new events that wait while missed ones are sent. */
const HELD_MAX = 10_000;

/** The events that one client wants. */
interface EventSelection {
  isWanted: (event: RunEvent) => boolean;
  /** The JSON of an event. */
  textOf: (event: RunEvent) => string;
}

/**
 * The connection of one client that follows events (`text/event-stream`): first the missed events, then the new ones.
 */
export class EventConnection implements EventListener {
  /** New events that wait while the missed ones are sent; null afterwards. */
  private heldEvents: RunEvent[] | null = [];
  private second: number | null = null;

  constructor(
    private readonly response: Response,
    private readonly selection: EventSelection,
  ) {}

  open(): void {
    const { response } = this;
    response.status(200).set({
      'Content-Type': 'text/event-stream; charset=utf-8',
      // With compression, an event would wait for the next one. The last header is for proxies that buffer.
      'Cache-Control': 'private, no-store, no-transform',
      'X-Accel-Buffering': 'no',
    });
    response.write(eventRetry());
    // A comment with an id is no event, but gives a client with few events a recent place to start again.
    const comments = setInterval(
      () => this.write(this.second === null ? ':' : `:\nid: ${this.second}`),
      COMMENT_EVERY_MS,
    );
    response.once('close', () => clearInterval(comments));
    if (response.closed) clearInterval(comments);
  }

  get waitingBytes(): number {
    return this.response.writableLength;
  }

  get isOver(): boolean {
    return this.response.closed || this.response.writableEnded;
  }

  /** Reports that the missed events can no longer be sent. */
  reset(reason: string): void {
    this.write(`event: reset\ndata: ${JSON.stringify({ reason })}`);
  }

  /** Sends all events from the second of the window on, as fast as the client reads them. */
  async catchUp(window: EventWindow): Promise<void> {
    do {
      for await (const page of window.pass()) {
        this.send(page, window.second);
        if (this.response.writableNeedDrain) await this.waitForDrain();
        if (this.isOver) return;
      }
    } while (window.hasMore);
  }

  /**
   * Sends the events that arrived during the read, except those that it has read. From now on each event is sent at
   * once.
   */
  startSending(second: number, hasRead: (event: RunEvent) => boolean): void {
    const heldEvents = this.heldEvents ?? [];
    this.heldEvents = null;
    this.second = second;
    this.write(`id: ${second}`);
    this.send(
      heldEvents.filter((event) => !hasRead(event)),
      second,
    );
  }

  deliver(events: RunEvent[], second: number, waitingBytesMax: number): void {
    const isSlow = this.waitingBytes > waitingBytesMax;
    if (isSlow || (this.heldEvents?.length ?? 0) > HELD_MAX)
      this.end('the events were not read as fast as they came');
    else if (this.heldEvents) this.heldEvents.push(...events.filter(this.selection.isWanted));
    else this.send(events, second);
  }

  /** Sends the reason and ends the stream. A client that does not read it in time is disconnected. */
  end(reason: string): void {
    if (this.isOver) return;
    this.write(`event: end\ndata: ${JSON.stringify({ reason })}`);
    this.response.end();
    const timer = setTimeout(() => this.response.destroy(), STALLED_MS);
    this.response.once('close', () => clearTimeout(timer));
  }

  private send(events: RunEvent[], second: number): void {
    this.second = second;
    const texts = events.filter(this.selection.isWanted).map((event) => {
      const id = `${second}.${event.runId}.${event.place}`;
      return `id: ${id}\nevent: ${event.kind}\ndata: ${this.selection.textOf(event)}\n\n`;
    });
    if (texts.length > 0 && !this.isOver) this.response.write(texts.join(''));
  }

  private write(text: string): void {
    if (!this.isOver) this.response.write(`${text}\n\n`);
  }

  private async waitForDrain(): Promise<void> {
    const stalled = AbortSignal.timeout(STALLED_MS);
    const departure = new AbortController();
    const close = (): void => departure.abort();
    this.response.once('close', close);
    try {
      await once(this.response, 'drain', { signal: AbortSignal.any([departure.signal, stalled]) });
    } catch {
      this.response.destroy();
    } finally {
      this.response.off('close', close);
    }
  }
}
