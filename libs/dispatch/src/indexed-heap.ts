/** A binary heap whose items can also be found and removed by their id; each operation costs O(log n). */
export class IndexedHeap<T> {
  private readonly items: T[] = [];
  private readonly places = new Map<number, number>();

  /** `before` is a strict total order; an item's place in it may only change through `add`. */
  constructor(
    private readonly idOf: (item: T) => number,
    private readonly before: (a: T, b: T) => boolean,
  ) {}

  get size(): number {
    return this.items.length;
  }

  head(): T | undefined {
    return this.items[0];
  }

  /** The items, in no particular order. */
  [Symbol.iterator](): Iterator<T> {
    return this.items.values();
  }

  find(id: number): T | undefined {
    const place = this.places.get(id);
    return place === undefined ? undefined : this.items[place];
  }

  /** Adds an item; an item with the same id is replaced. */
  add(item: T): void {
    this.remove(this.idOf(item));
    this.items.push(item);
    this.rise(this.items.length - 1);
  }

  remove(id: number): T | undefined {
    const place = this.places.get(id);
    if (place === undefined) return undefined;
    const removed = this.items[place] as T;
    const last = this.items.pop() as T;
    this.places.delete(id);
    if (last !== removed) {
      this.setPlace(last, place);
      this.sink(this.rise(place));
    }
    return removed;
  }

  private setPlace(item: T, place: number): void {
    this.items[place] = item;
    this.places.set(this.idOf(item), place);
  }

  private rise(from: number): number {
    const item = this.items[from] as T;
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = this.items[parent] as T;
      if (!this.before(item, above)) break;
      this.setPlace(above, place);
      place = parent;
    }
    this.setPlace(item, place);
    return place;
  }

  private sink(from: number): void {
    const item = this.items[from] as T;
    let place = from;
    for (;;) {
      const child = this.smallerChild(place);
      if (child === undefined || !this.before(this.items[child] as T, item)) break;
      this.setPlace(this.items[child] as T, place);
      place = child;
    }
    this.setPlace(item, place);
  }

  private smallerChild(place: number): number | undefined {
    const leftChild = 2 * place + 1;
    const rightChild = leftChild + 1;
    if (leftChild >= this.items.length) return undefined;
    if (rightChild >= this.items.length) return leftChild;
    return this.before(this.items[rightChild] as T, this.items[leftChild] as T) ? rightChild : leftChild;
  }
}
