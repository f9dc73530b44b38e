/** Two names are similar when at most this part of their letters differs. */
const WRONG_PART_MAX = 1 / 3;

/** The name that is most similar to `typed`; null when none is similar. */
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

/** The end of a message that suggests a similar name; empty when none is similar. */
export function suggestionFor(typed: string, names: Iterable<string>): string {
  const name = nearest(typed, names);
  return name === null ? '' : `; did you mean ${name}?`;
}

/** How many letters must be added, removed, replaced or swapped with a neighbour (optimal string alignment). */
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
