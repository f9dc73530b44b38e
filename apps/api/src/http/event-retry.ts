import { scatterPause } from '@proctor/pauses';

/** How long a client waits before it reconnects to a stream that people watch. */
const RETRY_MS = 5_000;

/**
 * The field of an event stream that says how long its client waits before it reconnects. All clients lose their
 * streams when the api ends, so each gets another time.
 */
export function eventRetry(ms = RETRY_MS): string {
  return `retry: ${Math.round(scatterPause(ms, Math.random()))}\n\n`;
}
