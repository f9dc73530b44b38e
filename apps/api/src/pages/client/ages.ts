const UNITS: [seconds: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
];

/** The age of a time in the largest unit that fits: `3 days ago`. */
export function ageOf(time: Date, now: Date): string {
  const seconds = (time.getTime() - now.getTime()) / 1_000;
  const [length, unit] = UNITS.find(([each]) => Math.abs(seconds) >= each) ?? [1, 'second' as const];
  return new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(Math.trunc(seconds / length), unit);
}

/** Writes the current age into each marked time and bar; the title of a time keeps the time itself. */
export function writeAges(part: ParentNode): void {
  for (const bar of part.querySelectorAll<HTMLProgressElement>('progress[data-since]'))
    bar.value = Math.max(0, (Date.now() - Date.parse(bar.dataset.since!)) / 1_000);
  for (const element of part.querySelectorAll<HTMLTimeElement>('time[data-ago]'))
    element.textContent = ageOf(new Date(element.dateTime), new Date());
}
