import { once } from 'node:events';
import type { Response } from 'express';
import type { LogEvent } from './log-follower';

/** A proxy in between closes what is silent for longer. */
const COMMENT_EVERY_MS = 15_000;
/** A client that was cut off comes again after this time. */
const RETRY_MS = 2_000;
/** Bytes of a log in one event. */
const PIECE_BYTES_MAX = 64 * 1024;

/**
 * Sends events to a browser (`text/event-stream`), at its pace. The id of each is the offset of the byte after it: a client that comes
 * again names it as `Last-Event-ID`. The first byte goes out at once.
 */
export async function sendLogEvents(events: AsyncIterable<LogEvent>, response: Response): Promise<void> {
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
  response.write(`retry: ${RETRY_MS}\n\n`);
  const timer = setInterval(() => response.write(':\n\n'), COMMENT_EVERY_MS);
  try {
    for await (const event of events) {
      if (response.closed) return;
      for (const text of written(event)) if (!response.write(text)) await drained(response);
    }
    response.end();
  } catch (error) {
    // The client comes again, and goes on where it is.
    response.destroy(error instanceof Error ? error : new Error(String(error)));
  } finally {
    clearInterval(timer);
  }
}

/** Aborts when the client is gone. */
export function closing(response: Response): AbortSignal {
  const controller = new AbortController();
  if (response.closed) controller.abort();
  else response.once('close', () => controller.abort());
  return controller.signal;
}

/** The offset that a client which comes again names; null when it names none. */
export function resumed(lastEventId: string | undefined): number | null {
  return lastEventId !== undefined && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : null;
}

function* written(event: LogEvent): Generator<string> {
  if (event.kind === 'end') {
    const { attempt, outcome, verdict, logSize } = event.attempt;
    const isStored = logSize !== null;
    yield message('end', { attempt, outcome, verdict, is_stored: isStored });
    return;
  }
  const { offset, data, isNote } = event;
  if (isNote) {
    yield message('note', { text: data.toString('utf8').trim() });
    return;
  }
  for (let at = 0; at < data.length; at += PIECE_BYTES_MAX) {
    const part = data.subarray(at, at + PIECE_BYTES_MAX);
    const next = offset + at + part.length;
    yield `id: ${next}\n${message('log', { offset: offset + at, data: part.toString('base64') })}`;
  }
}

function message(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

async function drained(response: Response): Promise<void> {
  const gone = new AbortController();
  const close = (): void => gone.abort();
  response.once('close', close);
  try {
    await once(response, 'drain', { signal: gone.signal }).catch(() => undefined);
  } finally {
    response.off('close', close);
  }
}
