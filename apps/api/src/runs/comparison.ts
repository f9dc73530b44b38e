import type { NeutralStatus } from '@proctor/contracts';
import type { StoredTestbed, RunRecord } from '@proctor/database';
import { requestRows, type RequestRow } from '@proctor/request-fields';
import {
  type RequestedPackage,
  isNamedBy,
  packageDifference,
  type PackagePair,
  sourceVersion,
  testedPackage,
  requestedPackages,
} from '@proctor/result-files';
import { resultObject } from './result-object';
import { imageInWords } from './testbed-image';

/** A setting that may differ between runs, as texts; null if it is unknown, empty if there is none. */
interface SettingPair {
  name: string;
  a: string | null;
  b: string | null;
}

/**
 * How near a package is to the tested one: of the `tested` source itself, `named` by the trigger or the pins of a
 * run, installed for the `tests`, or part of the `testbed`.
 */
export type Nearness = 'tested' | 'named' | 'tests' | 'testbed';
const NEARNESS: readonly Nearness[] = ['tested', 'named', 'tests', 'testbed'];

/** Packages that changed from one version to another together, usually of one source. */
export interface PackageGroup {
  /** Names of the packages, sorted; at least one. */
  names: string[];
  /** Their source package; null if no run names it with this version. */
  source: string | null;
  /** Null if they were not installed. */
  a: string | null;
  b: string | null;
  nearness: Nearness;
}

export interface ComparedPackages {
  /** The nearest first; among equals: changed versions, then new packages, then removed ones. */
  changed: PackageGroup[];
  /** Names and versions of unchanged packages. */
  same: [name: string, version: string][];
  /** The suites from which apt downloaded packages, by package, as far as they are known. */
  suites: Record<'a' | 'b', ReadonlyMap<string, string>>;
}

export interface Comparison {
  a: RunRecord;
  b: RunRecord;
  settings: SettingPair[];
  /** Null if one of the runs has no list of its packages. */
  packages: ComparedPackages | null;
  /** The runs without a list. */
  withoutList: number[];
}

/** A run with its testbed. */
export interface ComparedRun {
  run: RunRecord;
  testbed: StoredTestbed;
}

/** All settings of both runs, equal or not. */
export function settingsOf(a: ComparedRun, b: ComparedRun): SettingPair[] {
  const pair = (name: string, of: (compared: ComparedRun) => string | null): SettingPair => {
    return { name, a: of(a), b: of(b) };
  };
  const [ofA, ofB] = [comparedRows(a.run), comparedRows(b.run)];
  return [
    ...ofA.map(({ title, text }, index) => ({ name: title, a: text, b: ofB[index]!.text })),
    pair('Pins given up', ({ testbed }) =>
      testbed.fallback ? `for all of ${testbed.fallback.release}` : '',
    ),
    pair('Package', ({ run }) => run.package),
    pair('Version', ({ run }) => run.version ?? ''),
    pair('Suite', ({ run }) => run.suite),
    pair('Architecture', ({ run }) => run.arch),
    pair('Image', ({ run }) => run.image && imageInWords(run.image)),
    pair('Worker', ({ run }) => run.worker ?? ''),
    pair('Kernel', ({ testbed }) => testbed.kernel),
  ];
}

/** The priority decides when a run is executed, not how. */
function comparedRows(run: RunRecord): RequestRow[] {
  return requestRows(run).filter(({ name }) => name !== 'priority');
}

/** The settings that are known for both runs and differ. */
export function differentSettings(settings: SettingPair[]): SettingPair[] {
  return settings.filter(({ a, b }) => a !== null && b !== null && a !== b);
}

/** The packages that differ between two testbeds; null if one of the runs has no list. */
export function comparedPackages(a: ComparedRun, b: ComparedRun): ComparedPackages | null {
  const [ofA, ofB] = [a.testbed.packages, b.testbed.packages];
  if (!ofA || !ofB) return null;
  const { changed, same } = packageDifference(ofA, ofB);
  const among = (words: (run: RunRecord) => RequestedPackage[]) => {
    const [wordsOfA, wordsOfB] = [words(a.run), words(b.run)];
    return ({ name, a: inA, b: inB }: PackagePair): boolean =>
      isNamedBy(wordsOfA, name, inA) || isNamedBy(wordsOfB, name, inB);
  };
  const [isTested, isNamed] = [among(testedPackage), among(requestedPackages)];
  const nearnessOf = (pair: PackagePair): Nearness => {
    if (isTested(pair)) return 'tested';
    if (isNamed(pair)) return 'named';
    return ofA.added.has(pair.name) || ofB.added.has(pair.name) ? 'tests' : 'testbed';
  };
  const groups = groupsOf(changed, nearnessOf);
  return {
    changed: groups.map((group) => ({ ...group, source: sourceOf(group, a.run, b.run) })),
    same,
    suites: { a: ofA.suites, b: ofB.suites },
  };
}

/** A comparison in the form of the API: one entry for each package; packages that changed together are neighbours. */
export function comparisonObject(
  { a, b, settings, packages, withoutList }: Comparison,
  neutral: NeutralStatus,
) {
  return {
    a: resultObject(a, neutral),
    b: resultObject(b, neutral),
    settings,
    packages: packages && {
      changed: packages.changed.flatMap((group) =>
        group.names.map((name) => {
          const { source, nearness: part } = group;
          return {
            name,
            source,
            a: group.a,
            b: group.b,
            a_suite: packages.suites.a.get(name) ?? null,
            b_suite: packages.suites.b.get(name) ?? null,
            is_named: part === 'tested' || part === 'named',
            part,
          };
        }),
      ),
      same: packages.same.length,
    },
    without_list: withoutList,
  };
}

type Group = Omit<PackageGroup, 'source'>;

function groupsOf(pairs: PackagePair[], nearnessOf: (pair: PackagePair) => Nearness): Group[] {
  const groups = new Map<string, Group>();
  for (const pair of pairs) {
    const key = `${pair.a} ${pair.b}`;
    const nearness = nearnessOf(pair);
    const group = groups.get(key);
    if (!group) groups.set(key, { names: [pair.name], a: pair.a, b: pair.b, nearness });
    else {
      group.names.push(pair.name);
      if (NEARNESS.indexOf(nearness) < NEARNESS.indexOf(group.nearness)) group.nearness = nearness;
    }
  }
  const place = ({ nearness, names, a, b }: Group): string =>
    `${NEARNESS.indexOf(nearness)} ${a === null ? 1 : b === null ? 2 : 0} ${names[0]}`;
  return [...groups.values()].sort((one, other) => (place(one) < place(other) ? -1 : 1));
}

/** The one source that a run tested or was triggered with, in the version of these packages. */
function sourceOf(group: Group, a: RunRecord, b: RunRecord): string | null {
  const of = (run: RunRecord, version: string | null): string[] =>
    [...testedPackage(run), ...requestedPackages(run)]
      .filter((word) => word.version !== null && word.version === sourceVersion(version))
      .map(({ name }) => name);
  const [source = null, ...others] = new Set([...of(a, group.a), ...of(b, group.b)]);
  return others.length === 0 ? source : null;
}
