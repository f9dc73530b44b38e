/**
 * The class of a package by a deployment's list; the first class that names it, null when none does.
 * @param classes class → package names, which may end in `*`
 */
export function sizeClasses(classes: Record<string, string[]>): (packageName: string) => string | null {
  const exact = new Map<string, string>();
  const prefixes: [prefix: string, name: string][] = [];
  for (const [name, patterns] of Object.entries(classes)) {
    for (const pattern of patterns) {
      if (pattern.endsWith('*')) prefixes.push([pattern.slice(0, -1), name]);
      else if (!exact.has(pattern)) exact.set(pattern, name);
    }
  }
  return (packageName) => {
    const byPrefix = prefixes.find(([prefix]) => packageName.startsWith(prefix));
    return exact.get(packageName) ?? byPrefix?.[1] ?? null;
  };
}
