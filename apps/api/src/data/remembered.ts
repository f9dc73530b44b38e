/** Values that are made anew only when the version of what they were made from is another. One place, one value. */
export class Remembered<T> {
  private readonly values = new Map<string, { version: string; value: Promise<T> }>();

  /** @param placesMax how many places are remembered; the one that was made first is forgotten for another */
  constructor(private readonly placesMax: number) {}

  /** Those who ask at the same time share one making; a failed one is told to all of them and not kept. */
  get(place: string, version: string, make: () => Promise<T>): Promise<T> {
    const known = this.values.get(place);
    if (known?.version === version) return known.value;
    const entry = { version, value: make() };
    this.values.delete(place);
    this.values.set(place, entry);
    entry.value.catch(() => {
      if (this.values.get(place) === entry) this.values.delete(place);
    });
    this.forgetTheOldest();
    return entry.value;
  }

  private forgetTheOldest(): void {
    const [oldest] = this.values.keys();
    if (this.values.size > this.placesMax && oldest !== undefined) this.values.delete(oldest);
  }
}
