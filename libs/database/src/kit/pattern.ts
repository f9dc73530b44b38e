/** What a person types as `like` reads it: `*` stands for anything, everything else for itself. */
export function likeOf(pattern: string): string {
  return pattern.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%');
}
