import type { PackageVersions } from './installed-packages';

/** A package of which two runs had different versions; null where one had none. */
export interface PackagePair {
  name: string;
  a: string | null;
  b: string | null;
}

export interface PackageDifference {
  /** By name. */
  changed: PackagePair[];
  /** Those that are the same, with their versions, by name. */
  same: [name: string, version: string][];
}

/** What a run had installed when its tests began. */
export interface Installed {
  testbed: PackageVersions;
  added: PackageVersions;
}

/** The packages of which two runs had different versions. */
export function packageDifference(a: Installed, b: Installed): PackageDifference {
  const ofA = new Map([...a.testbed, ...a.added]);
  const ofB = new Map([...b.testbed, ...b.added]);
  const names = [...new Set([...ofA.keys(), ...ofB.keys()])].sort((one, other) => (one < other ? -1 : 1));
  const changed = names
    .filter((name) => ofA.get(name) !== ofB.get(name))
    .map((name) => ({ name, a: ofA.get(name) ?? null, b: ofB.get(name) ?? null }));
  const same = names.flatMap((name): [string, string][] => {
    const version = ofA.get(name);
    return version !== undefined && version === ofB.get(name) ? [[name, version]] : [];
  });
  return { changed, same };
}
