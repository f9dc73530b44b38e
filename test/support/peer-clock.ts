import { setTimeout as delay } from 'node:timers/promises';

const TICK_MS = 10;

/**
 * How long something takes on a clock that is as slow as the machine: it ticks each time when a sound peer has its answer,
 * ten milliseconds after the one before. Without other load it goes like any clock. Where everything is slow, the peer is
 * too, and fewer ticks are counted.
 * @param ask what the peer does; without it the clock is the event loop of this process
 * @returns milliseconds of this clock until the event
 */
export async function peerMsUntil(
  event: Promise<unknown>,
  ask: () => Promise<unknown> = () => Promise.resolve(),
): Promise<number> {
  let isOver = false;
  const end = event.finally(() => (isOver = true));
  // It is awaited below, after the last answer.
  end.catch(() => undefined);
  let ticks = 0;
  for (; !isOver; ticks += 1) {
    await delay(TICK_MS);
    await ask();
  }
  await end;
  return ticks * TICK_MS;
}
