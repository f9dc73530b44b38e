/** A package of a trigger, with its version. */
interface TriggerPackage {
  name: string;
  version: string;
}

/** A package that was installed in another version than the wanted one. */
export interface OtherVersion {
  package: string;
  wanted: string;
  installed: string;
}

/** A suite that the request does not name, and the packages that came from it. */
export interface OtherSuite {
  suite: string;
  /** The first by name. */
  packages: string[];
  /** How many more came from there. */
  more: number;
}

/** The packages of a run that differ from the request. */
export interface OtherPackages {
  versions: OtherVersion[];
  suites: OtherSuite[];
}

/** The packages of a trigger, `glibc/2.40-4 perl/5.40`; words without a version, or with the version 0, name none. */
export function packagesOfTrigger(trigger: string | null): TriggerPackage[] {
  return (trigger ?? '').split(' ').flatMap((word) => {
    const [name = '', version] = word.split('/');
    return version && version !== '0' ? [{ name, version }] : [];
  });
}
