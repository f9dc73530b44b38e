const UNITS: [seconds: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
];

/** What is further away says more as a date. */
const AGE_SECONDS_MAX = 60 * 86_400;

/** The age of a time in the largest unit that fits: `3 days ago`; its date in UTC if that is more than 60 days away. */
export function ageOf(time: Date, now: Date): string {
  const seconds = (time.getTime() - now.getTime()) / 1_000;
  if (Math.abs(seconds) > AGE_SECONDS_MAX) return time.toISOString().slice(0, 10);
  const [length, unit] = UNITS.find(([each]) => Math.abs(seconds) >= each) ?? [1, 'second' as const];
  return new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(Math.trunc(seconds / length), unit);
}

/** A time in UTC, and where the reader is: `2026-11-20 15:40:51 UTC, 2026-11-20 16:40:51 GMT+1`. */
export function timesOf(time: Date, timeZone?: string): string {
  const zones = ['UTC', timeZone];
  return [...new Set(zones.map((zone) => formatOf(zone).format(time).replace(',', '')))].join(', ');
}

/** A page may have hundreds of times, and a format takes long to make. */
const formats = new Map<string | undefined, Intl.DateTimeFormat>();

function formatOf(timeZone: string | undefined): Intl.DateTimeFormat {
  const two = '2-digit';
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-CA', {
      year: 'numeric',
      month: two,
      day: two,
      hour: two,
      minute: two,
      second: two,
      hourCycle: 'h23',
      timeZoneName: 'short',
      timeZone,
    });
  formats.set(timeZone, format);
  return format;
}

/** Writes the current age into each marked time and bar; under the pointer each time is also in the reader's zone. */
export function writeAges(part: ParentNode): void {
  for (const bar of part.querySelectorAll<HTMLProgressElement>('progress[data-since]'))
    bar.value = Math.max(0, (Date.now() - Date.parse(bar.dataset.since!)) / 1_000);
  for (const element of part.querySelectorAll('time')) {
    const time = new Date(element.dateTime);
    element.title = timesOf(time);
    if (element.dataset.ago !== undefined) element.textContent = ageOf(time, new Date());
  }
}
