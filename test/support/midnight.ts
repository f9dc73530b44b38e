import { until } from './until';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Longer than a test takes whose figures are all of one day or hour, and shorter than the patience of `until`. */
const LEFT_MS = 200_000;

/** Waits for the next day where this one (of UTC) is almost over. For tests of figures of the present day. */
export function awayFromMidnight(): Promise<void> {
  return awayFromEndOf(DAY_MS);
}

/** Waits for the next hour where this one is almost over. For tests of figures of the present hour. */
export function awayFromNextHour(): Promise<void> {
  return awayFromEndOf(HOUR_MS);
}

async function awayFromEndOf(periodMs: number): Promise<void> {
  if (!(await until(() => Promise.resolve(periodMs - (Date.now() % periodMs) > LEFT_MS))))
    throw new Error('the day or hour has not ended in time');
}
