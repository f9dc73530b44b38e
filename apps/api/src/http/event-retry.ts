import { scatterPause } from '@proctor/pauses';

/** How long a client waits before it reconnects to a stream that people watch. */
const RETRY_MS = 5_000;

/**
 * The field by which a stream of events says how long its client waits before it connects again. All clients lose their streams when
 * the api ends: each gets a time of its own.
 */
export function eventRetry(ms = RETRY_MS): string {
  return `retry: ${Math.round(scatterPause(ms, Math.random()))}\n\n`;
}
