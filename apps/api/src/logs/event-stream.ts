import { once } from 'node:events';
import type { AttemptRecord } from '@proctor/database';
import type { Response } from 'express';
import type { LogEvent } from './log-follower';
import type { LivePiece } from './log-so-far';
import { eventRetry } from '../http/event-retry';

/** Proxies close a connection on which nothing is sent for longer. */
const COMMENT_EVERY_MS = 15_000;
/** A disconnected client reconnects after this time. */
const RETRY_MS = 2_000;
/** Bytes of a log in one event. */
const PIECE_BYTES_MAX = 64 * 1024;

/** Sends events to a browser (`text/event-stream`), as fast as it reads. The first byte is sent at once. */
export async function sendEvents(events: AsyncIterable<string>, response: Response): Promise<void> {
  response.status(200).set({
    'Content-Type': 'text/event-stream; charset=utf-8',
    // A compressed event would wait in a buffer.
    'Cache-Control': 'private, no-store, no-transform',
    'X-Accel-Buffering': 'no',
  });
  if (response.req.method === 'HEAD') {
    response.end();
    return;
  }
  response.write(eventRetry(RETRY_MS));
  const timer = setInterval(() => response.write(':\n\n'), COMMENT_EVERY_MS);
  try {
    for await (const event of events) {
      if (response.closed) return;
      if (!response.write(event)) await drained(response);
    }
    response.end();
  } catch (error) {
    // The client reconnects and continues at its place.
    response.destroy(error instanceof Error ? error : new Error(String(error)));
  } finally {
    clearInterval(timer);
  }
}

/** The offset that a reconnecting client names; null if it names none. */
export function offsetOf(lastEventId: string | undefined): number | null {
  return lastEventId !== undefined && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : null;
}

/**
 * The bytes of a log as events. The id of each is the offset of the next byte: a reconnecting client sends it as
 * `Last-Event-ID`.
 */
export async function* byteEvents(events: AsyncIterable<LogEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.kind === 'end') yield endEvent(event.attempt);
    else if (event.isNote) yield textEvent(event.data.toString('utf8').trim());
    else yield* pieceEvents(event);
  }
}

/** The last event. */
export function endEvent({ attempt, outcome, verdict, logSize }: AttemptRecord): string {
  return message('end', { attempt, outcome, verdict, is_stored: logSize !== null });
}

/** A message about the log. */
export function textEvent(text: string): string {
  return message('note', { text });
}

export function message(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

function* pieceEvents({ offset, data }: LivePiece): Generator<string> {
  for (let at = 0; at < data.length; at += PIECE_BYTES_MAX) {
    const part = data.subarray(at, at + PIECE_BYTES_MAX);
    const next = offset + at + part.length;
    yield `id: ${next}\n${message('log', { offset: offset + at, data: part.toString('base64') })}`;
  }
}

async function drained(response: Response): Promise<void> {
  const departure = new AbortController();
  const close = (): void => departure.abort();
  response.once('close', close);
  try {
    await once(response, 'drain', { signal: departure.signal }).catch(() => undefined);
  } finally {
    response.off('close', close);
  }
}
