import { compareVersions } from '@proctor/contracts';

/**
 * Whether a request with the trigger `newer` supersedes an equal one with `older`: both name the same sources in the same order, none
 * in an older version and at least one in a newer version. A word without a version has to be the same in both.
 */
export function supersedes(newer: string | null, older: string | null): boolean {
  if (newer === null || older === null) return false;
  const words = newer.split(' ');
  const olderWords = older.split(' ');
  if (words.length !== olderWords.length) return false;
  const orders = words.map((word, index) => orderOf(word, olderWords[index]!));
  return orders.every((order) => order !== null && order >= 0) && orders.some((order) => order !== 0);
}

/** Compares the versions of two words; null if they are not versions of the same source. */
function orderOf(one: string, other: string): number | null {
  if (one === other) return 0;
  const [version, otherVersion] = [versionOf(one), versionOf(other)];
  if (!version || !otherVersion || sourceOf(one) !== sourceOf(other)) return null;
  return compareVersions(version, otherVersion);
}

function sourceOf(word: string): string {
  return word.split('/', 1)[0]!;
}

function versionOf(word: string): string | undefined {
  return word.split('/')[1];
}
