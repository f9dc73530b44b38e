/** A name is taken for another when at most this part of it is wrong. */
const WRONG_PART_MAX = 1 / 3;

/** Of these names, the one that was most likely meant by another; null when none is like it. */
export function nearest(typed: string, names: Iterable<string>): string | null {
  let best: { name: string; distance: number } | null = null;
  for (const name of names) {
    if (name === typed) continue;
    const distance = distanceOf(typed.toLowerCase(), name.toLowerCase());
    const max = Math.max(1, Math.floor(Math.max(typed.length, name.length) * WRONG_PART_MAX));
    if (distance <= max && (best === null || distance < best.distance)) best = { name, distance };
  }
  return best?.name ?? null;
}

/** What a message adds when one of these names was most likely meant; else nothing. */
export function suggestionFor(typed: string, names: Iterable<string>): string {
  const name = nearest(typed, names);
  return name === null ? '' : `; did you mean ${name}?`;
}

/** Letters to add, remove, replace or swap with their neighbour (optimal string alignment). */
function distanceOf(from: string, to: string): number {
  let before: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const next = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped =
        row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      next[column] = Math.min(
        last[column]! + 1,
        next[column - 1]! + 1,
        last[column - 1]! + (isSame ? 0 : 1),
        isSwapped ? before[column - 2]! + 1 : Infinity,
      );
    }
    [before, last] = [last, next];
  }
  return last[to.length]!;
}
