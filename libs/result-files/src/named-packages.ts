/** What was asked of a run, as far as it tells which packages it should have. */
export interface RequestedRun {
  package: string;
  /** That was tested; null where it is not known. */
  version: string | null;
  suite: string;
  trigger: string | null;
  pinPackages: [spec: string, suite: string][];
  extraAptSources: string[];
}

/** A package in what was asked for. */
export interface RequestedPackage {
  name: string;
  /** Null where any is meant. */
  version: string | null;
}

/** The package that a run tested, in the version that it had. */
export function testedPackage({
  package: name,
  version,
}: Pick<RequestedRun, 'package' | 'version'>): RequestedPackage[] {
  return [{ name, version }];
}

/** Packages in the trigger and the pins of a run. */
export function requestedPackages({
  trigger,
  pinPackages,
}: Pick<RequestedRun, 'trigger' | 'pinPackages'>): RequestedPackage[] {
  const triggered = (trigger ?? '').split(' ').map((word) => {
    const [name = '', version = null] = word.split('/');
    return { name, version: version === '' || version === '0' ? null : version };
  });
  const pinned = pinPackages.flatMap(([spec]) =>
    spec.split(',').map((part) => ({ name: part.trim().replace(/^src:/, ''), version: null })),
  );
  return [...triggered, ...pinned];
}

/** By its name, or as a binary package that has the version of a named source. */
export function isNamedBy(words: RequestedPackage[], name: string, version: string | null): boolean {
  const ofSource = sourceVersion(version);
  return words.some((word) => word.name === name || (ofSource !== null && word.version === ofSource));
}

/** Without what a rebuild of a binary package has added. */
export function sourceVersion(version: string | null): string | null {
  return version && version.replace(/\+b\d+$/, '');
}
