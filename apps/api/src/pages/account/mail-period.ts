import type { MailPeriod } from '@proctor/contracts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Mails of a day are sent from this hour on, in UTC. */
const DAY_BEGINS_MS = 6 * HOUR_MS;

/** When the next mail is due, after a time; null: none is. */
export function nextMailAt(period: MailPeriod, after: Date): Date | null {
  if (period === 'none') return null;
  const ms = after.getTime();
  if (period === 'hour') return new Date((Math.floor(ms / HOUR_MS) + 1) * HOUR_MS);
  return new Date((Math.floor((ms - DAY_BEGINS_MS) / DAY_MS) + 1) * DAY_MS + DAY_BEGINS_MS);
}
