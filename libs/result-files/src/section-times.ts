import type { LogSection } from './log-index';

/** The runner writes whole seconds, and what it took is rounded to one. */
const ROUNDING_SECONDS = 2;

/**
 * The parts of a log with the times that can be right. They are by the clock of the machine, which may be set while the runner works: if all
 * parts together are longer than the runner worked, no time is kept.
 * @param ranSeconds how long the runner worked, by a monotonic clock; null if unknown
 */
export function withPlausibleTimes<Part extends Pick<LogSection, 'seconds'>>(
  parts: Part[],
  ranSeconds: number | null,
): Part[] {
  const sum = parts.reduce((total, { seconds }) => total + (seconds ?? 0), 0);
  if (ranSeconds === null || sum <= ranSeconds + ROUNDING_SECONDS) return parts;
  return parts.map((part) => ({ ...part, seconds: null }));
}
