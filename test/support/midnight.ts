import { until } from './until';

const DAY_MS = 86_400_000;
/** Longer than a test takes whose figures are all of one day, and shorter than the patience of `until`. */
const LEFT_MS = 200_000;

/** Waits for the next day where this one (of UTC) is almost over. For tests of figures of the present day. */
export async function awayFromMidnight(): Promise<void> {
  if (!(await until(() => Promise.resolve(isAwayFromMidnight()))))
    throw new Error('the day has not ended in time');
}

function isAwayFromMidnight(): boolean {
  return DAY_MS - (Date.now() % DAY_MS) > LEFT_MS;
}
