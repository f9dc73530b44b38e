/** The oldest that has what Proctor needs, for a private network. */
export const OLDEST_NATS = '2.9.10';

/** The oldest without known security holes that matter to a public server. */
export const SAFE_NATS = '2.12.6';

/** The version in the output of `nats-server --version`; null: none. */
export function natsVersion(words: string): string | null {
  return /\bv?(\d+\.\d+\.\d+(?:-[\w.]+)?)/.exec(words)?.[1] ?? null;
}

/** Whether a version is at least another one; 2.12.6-RC.1 is less than 2.12.6. */
export function isAtLeast(version: string, other: string): boolean {
  return compare(version, other) >= 0;
}

/** The item with the newest version; among equal ones the first. */
export function newest<T extends { version: string }>(all: T[]): T | undefined {
  return all.reduce<T | undefined>(
    (best, each) => (best && isAtLeast(best.version, each.version) ? best : each),
    undefined,
  );
}

function compare(a: string, b: string): number {
  const [one, other] = [parts(a), parts(b)];
  const place = one.numbers.findIndex((number, index) => number !== other.numbers[index]);
  if (place >= 0) return one.numbers[place]! - other.numbers[place]!;
  return Number(other.isPreliminary) - Number(one.isPreliminary);
}

function parts(version: string): { numbers: number[]; isPreliminary: boolean } {
  const [numbers = '', preliminary] = version.split('-', 2);
  return { numbers: numbers.split('.').map(Number), isPreliminary: preliminary !== undefined };
}
