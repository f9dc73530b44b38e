/**
 * A time in the format of the API: `YYYY-MM-DDTHH:MM:SS.mmmZ`, exactly three digits and a Z (britney cuts the last five
 * characters before it parses).
 */
export function timestamp(time: Date): string {
  return time.toISOString();
}

/** A duration for people, zero parts included: `0h 0m 30s`. */
export function duration(seconds: number): string {
  return `${Math.floor(seconds / 3600)}h ${Math.floor(seconds / 60) % 60}m ${seconds % 60}s`;
}
