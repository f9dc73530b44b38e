import type { PackageVersions } from './installed-packages';

/** A package with different versions in two runs; null: not installed. */
export interface PackagePair {
  name: string;
  a: string | null;
  b: string | null;
}

interface PackageDifference {
  /** Sorted by name. */
  changed: PackagePair[];
  /** Packages with the same version, sorted by name. */
  same: [name: string, version: string][];
}

/** The packages of a run when its tests started. */
export interface Installed {
  testbed: PackageVersions;
  added: PackageVersions;
}

/** Compares the packages of two runs. */
export function packageDifference(a: Installed, b: Installed): PackageDifference {
  const ofA = new Map([...a.testbed, ...a.added]);
  const ofB = new Map([...b.testbed, ...b.added]);
  const names = [...new Set([...ofA.keys(), ...ofB.keys()])].sort((one, other) => (one < other ? -1 : 1));
  const pairs = names
    .filter((name) => ofA.get(name) !== ofB.get(name))
    .map((name) => ({ name, a: ofA.get(name) ?? null, b: ofB.get(name) ?? null }));
  const same = names.flatMap((name): [string, string][] => {
    const version = ofA.get(name);
    return version !== undefined && version === ofB.get(name) ? [[name, version]] : [];
  });
  return { changed: pairs, same };
}
