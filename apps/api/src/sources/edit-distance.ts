/** Which letters a text has, a bit each; several letters share one. */
export function letterBits(text: string): number {
  let bits = 0;
  for (let at = 0; at < text.length; at += 1) bits |= 1 << (text.charCodeAt(at) & 31);
  return bits;
}

/** Counts the letters that only one of two texts has. @param one, other results of `letterBits` */
export function lettersApart(one: number, other: number): number {
  let differing = one ^ other;
  let count = 0;
  for (; differing !== 0; differing &= differing - 1) count += 1;
  return count;
}

/**
 * How many letters must be added, removed, replaced or swapped with their neighbour to change one text into the other: the
 * distance of optimal string alignment. A result above `max` only means that the distance is above `max`.
 */
export function editDistance(one: string, other: string, max: number): number {
  if (Math.abs(one.length - other.length) > max) return max + 1;
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    let least = i;
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      let distance = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (isSame ? 0 : 1));
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (isSwapped) distance = Math.min(distance, before[j - 2]! + 1);
      next.push(distance);
      least = Math.min(least, distance);
    }
    if (least > max) return max + 1;
    [before, row] = [row, next];
  }
  return row[other.length]!;
}
