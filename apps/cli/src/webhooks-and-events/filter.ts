/** Which events are meant, as it is typed. */
export interface TypedFilter {
  package?: string[];
  suite?: string[];
  arch?: string[];
  trigger?: string;
  kind?: string[];
  status?: string[];
  mine: boolean;
}

/** The same as a webhook keeps it; what was not typed is left out. */
export function filterIn({ kind, mine, ...typed }: TypedFilter): Record<string, unknown> {
  const { package: packages, suite, arch, trigger, status } = typed;
  const said = { package: packages, suite, arch, trigger, kinds: kind, status, mine: mine || undefined };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}
