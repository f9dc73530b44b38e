/** The part of a run's request that names packages. */
export interface PackagesRequest {
  package: string;
  /** The tested version; null: not known. */
  version: string | null;
  suite: string;
  trigger: string | null;
  pinPackages: [spec: string, suite: string][];
  extraAptSources: string[];
}

/** A package in the request. */
export interface RequestedPackage {
  name: string;
  /** Null: any version. */
  version: string | null;
}

/** The package that a run tested, with its version. */
export function testedPackage({
  package: name,
  version,
}: Pick<PackagesRequest, 'package' | 'version'>): RequestedPackage[] {
  return [{ name, version }];
}

/** Packages in the trigger and the pins of a run. */
export function requestedPackages({
  trigger,
  pinPackages,
}: Pick<PackagesRequest, 'trigger' | 'pinPackages'>): RequestedPackage[] {
  const triggered = (trigger ?? '').split(' ').map((word) => {
    const [name = '', version = null] = word.split('/');
    return { name, version: version === '' || version === '0' ? null : version };
  });
  const pinned = pinPackages.flatMap(([spec]) =>
    spec.split(',').map((part) => ({ name: part.trim().replace(/^src:/, ''), version: null })),
  );
  return [...triggered, ...pinned];
}

/** Whether a package is requested by its name, or is a binary package with the version of a requested source. */
export function isNamedBy(words: RequestedPackage[], name: string, version: string | null): boolean {
  const ofSource = sourceVersion(version);
  return words.some((word) => word.name === name || (ofSource !== null && word.version === ofSource));
}

/** The version without the suffix of a binary rebuild. */
export function sourceVersion(version: string | null): string | null {
  return version && version.replace(/\+b\d+$/, '');
}
