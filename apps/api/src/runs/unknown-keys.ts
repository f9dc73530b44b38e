import { describe } from '@proctor/contracts';

const KEYS_NAMED_MAX = 20;

/** A warning for each parameter that was ignored. */
export function unknownParameters(names: string[]): string[] {
  return names
    .slice(0, KEYS_NAMED_MAX)
    .map((name) => `The parameter ${describe(name)} is unknown and was ignored.`);
}

/** Collects ignored keys: one warning for each key, however many items have it. */
export class UnknownKeys {
  private readonly counts = new Map<string, { count: number; first: string }>();
  private unnamed = 0;

  /** @param place of the item, such as `tests[3]` */
  add(key: string, place: string): void {
    const entry = this.counts.get(key);
    if (entry) entry.count += 1;
    else if (this.counts.size < KEYS_NAMED_MAX) this.counts.set(key, { count: 1, first: place });
    else this.unnamed += 1;
  }

  warnings(): string[] {
    const warnings = [...this.counts].map(([key, { count, first }]) => {
      const others = count > 1 ? ` and in ${count - 1} more` : '';
      return `The key ${describe(key)} in ${first}${others} is unknown and was ignored.`;
    });
    return this.unnamed > 0 ? [...warnings, `${this.unnamed} more unknown keys were ignored.`] : warnings;
  }
}
