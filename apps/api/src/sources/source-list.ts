import { sourceNamesLine } from '@proctor/contracts';
import type { SlicedWork } from '../http/slices';
import { editDistance, letterBits, lettersApart } from './edit-distance';

/** Lines between two pauses. */
const LINES_AT_ONCE = 200;
const NEAR_NAMES_MAX = 3;
/** Names below this length may differ in one letter, others in two. */
const SHORT_LENGTH = 5;

/** A source package with a fast comparison of its letters. */
interface Source {
  name: string;
  bits: number;
}

/** The packages of a suite on an architecture. */
export class SourceList {
  private readonly sources = new Set<string>();
  private readonly byLength = new Map<number, Source[]>();
  /** Lines of binary packages in their order. */
  private readonly binaries: string[] = [];

  private constructor() {}

  /** @param text lines in the format of sourceNamesLine, sorted */
  static *read(text: string): SlicedWork<SourceList> {
    const list = new SourceList();
    let [from, count] = [0, 0];
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      list.add(text.slice(from, end));
      from = end + 1;
      count += 1;
      if (count % LINES_AT_ONCE === 0) yield;
    }
    return list;
  }

  /** The number of lines in memory. */
  get size(): number {
    return this.sources.size + this.binaries.length;
  }

  has(source: string): boolean {
    return this.sources.has(source);
  }

  /** The source packages that build a binary package of this name. */
  sourcesOfBinary(name: string): string[] {
    const first = `${name} `;
    let [low, high] = [0, this.binaries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.binaries[middle]! < first) low = middle + 1;
      else high = middle;
    }
    const names: string[] = [];
    for (let at = low; this.binaries[at]?.startsWith(first) === true; at += 1)
      names.push(this.binaries[at]!.slice(first.length));
    return names;
  }

  /** Source packages whose names differ from this one by one typing error, else by two. */
  *near(name: string): SlicedWork<string[]> {
    const distanceMax = name.length < SHORT_LENGTH ? 1 : 2;
    const bits = letterBits(name);
    const candidates: { name: string; distance: number }[] = [];
    let count = 0;
    for (let length = name.length - distanceMax; length <= name.length + distanceMax; length += 1) {
      for (const source of this.byLength.get(length) ?? []) {
        count += 1;
        if (count % LINES_AT_ONCE === 0) yield;
        // Each changed letter adds one and removes one.
        if (lettersApart(source.bits, bits) > 2 * distanceMax) continue;
        const distance = editDistance(source.name, name, distanceMax);
        if (distance <= distanceMax) candidates.push({ name: source.name, distance });
      }
    }
    const least = Math.min(...candidates.map(({ distance }) => distance));
    const nearest = candidates.filter(({ distance }) => distance === least).map((each) => each.name);
    return nearest.sort().slice(0, NEAR_NAMES_MAX);
  }

  private add(line: string): void {
    const entry = sourceNamesLine(line);
    if (entry?.source === null) this.addSource(entry.name);
    else if (entry) this.binaries.push(line);
  }

  private addSource(name: string): void {
    this.sources.add(name);
    const source = { name, bits: letterBits(name) };
    const sameLength = this.byLength.get(name.length);
    if (sameLength) sameLength.push(source);
    else this.byLength.set(name.length, [source]);
  }
}
