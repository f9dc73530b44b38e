import { once } from 'node:events';
import type { EventWindow, RunEvent } from '@proctor/events';
import type { Response } from 'express';
import type { EventListener } from './event-streams';
import { eventRetry } from '../http/event-retry';

/** A connection on which nothing is sent is treated as dead by proxies on its way. */
const COMMENT_EVERY_MS = 15_000;
/** A client that takes nothing for so long, of what it has missed or of its last word, is gone. */
const STALLED_MS = 30_000;
/** Events that come while a client is sent what it has missed. */
const HELD_MAX = 10_000;

/** What one client wants, and how much of it is kept for a client that does not read. */
export interface EventSelection {
  isWanted: (event: RunEvent) => boolean;
  resourceOf: (event: RunEvent) => object;
  waitingBytesMax: number;
}

/** One client that follows events (`text/event-stream`): first what it has missed, then what comes. */
export class EventConnection implements EventListener {
  /** What comes while it is sent what it has missed; null afterwards. */
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
      // Compressed, an event would wait for the next; the last is for proxies that buffer.
      'Cache-Control': 'private, no-store, no-transform',
      'X-Accel-Buffering': 'no',
    });
    response.write(eventRetry());
    // The id alone is no event: a client that wants little has a place to begin again that is not old.
    const comments = setInterval(
      () => this.write(this.second === null ? ':' : `:\nid: ${this.second}`),
      COMMENT_EVERY_MS,
    );
    response.once('close', () => clearInterval(comments));
    if (response.closed) clearInterval(comments);
  }

  get isOver(): boolean {
    return this.response.closed || this.response.writableEnded;
  }

  /** It is impossible to send what the client has missed. */
  reset(reason: string): void {
    this.write(`event: reset\ndata: ${JSON.stringify({ reason })}`);
  }

  /** Sends what is there from the second of the window on, at the client's pace. */
  async catchUp(window: EventWindow): Promise<void> {
    do {
      for await (const page of window.pass()) {
        this.send(page, window.second);
        if (this.response.writableNeedDrain) await this.waitForDrain();
        if (this.isOver) return;
      }
    } while (window.hasMore);
  }

  /** Sends the events that arrived during the read, except those it has read; from now on, each event is sent at once. */
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

  deliver(events: RunEvent[], second: number): void {
    const isSlow = this.response.writableLength > this.selection.waitingBytesMax;
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
      return `id: ${id}\nevent: ${event.kind}\ndata: ${JSON.stringify(this.selection.resourceOf(event))}\n\n`;
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
