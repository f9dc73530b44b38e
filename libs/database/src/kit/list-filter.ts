/** Which entries of a list are asked for; null where it does not matter. */
export interface ListFilter {
  suites: string[] | null;
  architectures: string[] | null;
  /** The name of a package, in which `*` stands for anything. */
  package: string | null;
}

/** What a person types as `like` reads it: `*` stands for anything, everything else for itself. */
export function likeOf(pattern: string): string {
  return pattern.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%');
}

/** As parameters $1 to $3 of a statement. */
export function parametersOf({
  suites,
  architectures,
  package: name,
}: ListFilter): (string[] | string | null)[] {
  return [suites, architectures, name === null ? null : likeOf(name)];
}

/** Of the parameters that the filter makes. */
export const AS_ASKED = (
  r: string,
): string => `($1::text[] is null or ${r}.suite = any($1)) and ($2::text[] is null or ${r}.arch = any($2))
  and ($3::text is null or ${r}.package like $3)`;

/** Whether the package of a row is one that is still there: an import may have brought some that were removed. */
export const IS_PRESENT = (r: string): string =>
  `not exists (select from packages gone where gone.name = ${r}.package and gone.removed)`;
