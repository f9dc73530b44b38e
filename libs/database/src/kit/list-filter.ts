/** The filter of a list; null where any value matches. */
export interface ListFilter {
  suites: string[] | null;
  architectures: string[] | null;
  /** The name of a package, in which `*` stands for anything. */
  package: string | null;
}

/**
 * The pattern of SQL's `like` for a text that a person typed: `*` matches anything, all other characters match
 * themselves.
 */
export function likeOf(pattern: string): string {
  return pattern.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%');
}

/** The filter as the parameters $1 to $3 of a statement. */
export function parametersOf({
  suites,
  architectures,
  package: name,
}: ListFilter): (string[] | string | null)[] {
  return [suites, architectures, name === null ? null : likeOf(name)];
}

/** The SQL condition that the row `r` matches the filter, with the parameters of `parametersOf`. */
export const AS_ASKED = (
  r: string,
): string => `($1::text[] is null or ${r}.suite = any($1)) and ($2::text[] is null or ${r}.arch = any($2))
  and ($3::text is null or ${r}.package like $3)`;

/**
 * The SQL condition that the package of the row `r` was not removed: an import may have brought rows of removed
 * packages.
 */
export const IS_PRESENT = (r: string): string =>
  `not exists (select from packages gone where gone.name = ${r}.package and gone.removed)`;
