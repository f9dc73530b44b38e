import type { NeutralStatus } from '@proctor/contracts';
import type { RunRecord } from '@proctor/database';
import {
  type ComparedPackages,
  type Comparison,
  differentSettings,
  type Nearness,
  type PackageGroup,
} from '../../runs/comparison';
import { historyPath, packagePath } from '../../runs/page-paths';
import { runView } from './run-view';

const HEADINGS: Record<Nearness, string> = {
  tested: 'Of the tested package',
  named: 'Named by the trigger or by pins',
  tests: 'Installed for the tests',
  testbed: 'Of the testbed',
};

/** The page that compares two runs. */
export function compareView({ a, b, settings, packages, withoutList }: Comparison, neutral: NeutralStatus) {
  const side = (run: RunRecord) => ({ ...runView(run, neutral), at: run.finishedAt });
  const different = differentSettings(settings);
  const runs = `run ${a.runId} and run ${b.runId}`;
  const [nameA, nameB] = [nameOf(a), nameOf(b)];
  return {
    heading: nameA === nameB ? nameA : `${nameA}, and ${nameB}`,
    trail: trailOf(b, a.package === b.package, nameA === nameB),
    a: side(a),
    b: side(b),
    sentence: `Different between ${runs}: ${differenceWords(different.length, packages)}.`,
    different: different.map((setting) => ({
      ...setting,
      a: setting.a === '' ? 'none' : setting.a,
      b: setting.b === '' ? 'none' : setting.b,
    })),
    equal: settings.filter((setting) => setting.a === setting.b && setting.a),
    unknown: settings
      .filter((setting) => setting.a === null || setting.b === null)
      .map((setting) => `${setting.name.toLowerCase()}${runOfSetting(setting, a, b)}`)
      .join(', '),
    packages: packages && {
      parts: partsOf(packages),
      same: packages.same.map(([name, version]) => `${name} ${version}`),
    },
    withoutList: withoutList.map((runId) => `run ${runId}`).join(' and '),
  };
}

function nameOf({ package: name, suite, arch }: RunRecord): string {
  return `${name} on ${suite}/${arch}`;
}

/** The links to the pages above: only those that both runs share. */
function trailOf(run: RunRecord, isOnePackage: boolean, isOnePlace: boolean): [url: string, name: string][] {
  return [
    ['/packages/', 'Packages'],
    ...(isOnePackage ? [[packagePath(run.package), run.package] as [string, string]] : []),
    ...(isOnePlace ? [[historyPath(run), `${run.suite}/${run.arch}`] as [string, string]] : []),
  ];
}

const GROUPS_NAMED_MAX = 5;

/** The differences in brief: their number, and the packages closest to the test. */
export function changesView({ settings, packages }: Comparison) {
  const different = differentSettings(settings);
  const differences = packages?.changed ?? [];
  return {
    words: differenceWords(different.length, packages),
    settings: different.map(
      ({ name, a, b }) => `${name}: ${a === '' ? 'none' : a} → ${b === '' ? 'none' : b}`,
    ),
    packages: differences
      .slice(0, GROUPS_NAMED_MAX)
      .map(
        ({ names, source, a, b }) =>
          `${source ?? namesOf(names)} ${a ?? 'not installed'} → ${b ?? 'not installed'}`,
      ),
    more: Math.max(0, differences.length - GROUPS_NAMED_MAX),
  };
}

function namesOf(names: string[]): string {
  const rest = names.length - 2;
  return names.slice(0, 2).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** `7 package versions, 1 setting; the same: 300 packages` */
function differenceWords(settings: number, packages: ComparedPackages | null): string {
  const ofSettings = amountOf(settings, 'setting');
  if (!packages) return `${ofSettings}; the packages are unknown`;
  const versions = packages.changed.reduce((sum, { names }) => sum + names.length, 0);
  return `${amountOf(versions, 'package version')}, ${ofSettings}; the same: ${amountOf(packages.same.length, 'package')}`;
}

function amountOf(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

function runOfSetting(setting: { a: string | null; b: string | null }, a: RunRecord, b: RunRecord): string {
  if (setting.a === null && setting.b === null) return '';
  return ` of run ${setting.a === null ? a.runId : b.runId}`;
}

/** Groups the changed packages by nearness, each group with a heading. */
function partsOf({ changed, suites }: ComparedPackages) {
  return (Object.keys(HEADINGS) as Nearness[]).flatMap((nearness) => {
    const groups = changed
      .filter((group) => group.nearness === nearness)
      .map((group) => ({
        ...group,
        suites: { a: suitesOf(group, suites.a), b: suitesOf(group, suites.b) },
      }));
    return groups.length === 0 ? [] : [{ heading: HEADINGS[nearness], groups }];
  });
}

/** The suites of the packages: `sid`, or `sid, experimental`; empty when none is known. */
function suitesOf({ names }: PackageGroup, suites: ReadonlyMap<string, string>): string {
  return [...new Set(names.flatMap((name) => suites.get(name) ?? []))].join(', ');
}
