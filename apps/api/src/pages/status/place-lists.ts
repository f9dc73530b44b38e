import { isPackageName, isWord } from '@proctor/contracts';
import type { NeutralStatus } from '@proctor/contracts';
import type { PackageStatus, SplitSuite, StatusLists } from '@proctor/database';
import { cursor } from '../../http/parts';
import { nameThat } from '../../http/path-ids';
import { historyPath, packagePath } from '../../runs/page-paths';
import { statusOf } from '../../runs/result-object';
import type { ListQuery } from './list-query';
import type { Cell, StatusList } from './status-list';
import { statusObject } from './package-columns';

/** An entry of the reject list: this version of the package is not tested on this place. `*` means all. */
export interface RejectedPackage {
  package: string;
  suite: string;
  arch: string;
  version: string;
}

type SuiteKey = Pick<SplitSuite, 'package' | 'suite'>;

const BY_SUITE = cursor<SuiteKey>('a package and a suite, as hello/unstable', {
  package: nameThat(isPackageName),
  suite: nameThat(isWord),
});

const ANY = nameThat((text) => text !== '');
const BY_ENTRY = cursor<RejectedPackage>('an entry of the reject list, as hello/unstable/amd64/1.0-1', {
  package: ANY,
  suite: ANY,
  arch: ANY,
  version: ANY,
});

/** The list of packages that pass on some architectures of a suite and fail on others. */
export function splitList(lists: StatusLists, neutral: NeutralStatus): StatusList<SplitSuite, SuiteKey> {
  const places = (statuses: PackageStatus[]): Cell => ({
    places: statuses.map((status) => ({
      name: status.arch,
      status: statusOf(status.latest.verdict, neutral) ?? status.latest.verdict,
      url: historyPath(status),
    })),
  });
  const failing = ({ statuses }: SplitSuite) => statuses.filter(({ latest }) => latest.verdict === 'fail');
  const others = ({ statuses }: SplitSuite) => statuses.filter(({ latest }) => latest.verdict !== 'fail');
  return {
    name: 'platform-specific-issues',
    title: 'Platform-specific issues',
    nouns: () => [
      'suite on which a package fails on some architectures and passes on others',
      'suites on which a package fails on some architectures and passes on others',
    ],
    order: 'by package',
    columns: [
      {
        head: 'Package',
        className: 'name',
        cell: ({ package: name }) => ({ link: { url: packagePath(name), text: name } }),
      },
      { head: 'Suite', cell: ({ suite }) => ({ text: suite }) },
      { head: 'Fails on', cell: (split) => places(failing(split)) },
      { head: 'Since', cell: (split) => ({ at: begunAt(failing(split)), url: null }) },
      { head: 'Elsewhere', cell: (split) => places(others(split)) },
    ],
    cursor: BY_SUITE,
    read: (query, limit, after) => lists.split(query, limit, after),
    count: (query) => lists.countSplit(query),
    keyOf: (split) => split,
    object: ({ package: name, suite, statuses }) => ({
      package: name,
      suite,
      architectures: statuses.map((status) => statusObject(status, neutral)),
    }),
    entry: (split) => ({
      path: `${packagePath(split.package)}#suite-${split.suite}`,
      title: `${split.package} fails on ${archesOf(failing(split))} of ${split.suite}, not elsewhere`,
      text: `Elsewhere: ${archesOf(others(split))}.`,
      date: begunAt(failing(split)) ?? new Date(0),
    }),
  };
}

function archesOf(statuses: PackageStatus[]): string {
  return statuses.map(({ arch }) => arch).join(', ');
}

/** The earliest time at which one of the packages began to fail; null when none fails. */
function begunAt(statuses: PackageStatus[]): Date | null {
  const times = statuses.flatMap(({ failingSince }) => failingSince?.date ?? []);
  return times.sort((one, other) => one.getTime() - other.getTime())[0] ?? null;
}

/** The list of packages that are not tested here. @param loadedAt the time at which the configuration was read */
export function rejectedList(
  rejected: () => RejectedPackage[],
  loadedAt: () => Date,
): StatusList<RejectedPackage, RejectedPackage> {
  return {
    name: 'reject_list',
    title: 'Reject list',
    nouns: () => ['rejected package', 'rejected packages'],
    order: 'by package',
    columns: [
      {
        head: 'Package',
        className: 'name',
        cell: ({ package: name }) => ({
          link: { url: `/status/reject_list/?package=${encodeURIComponent(name)}`, text: name },
        }),
      },
      { head: 'Suite', cell: ({ suite }) => ({ text: suite === '*' ? 'all' : suite }) },
      { head: 'Architecture', cell: ({ arch }) => ({ text: arch === '*' ? 'all' : arch }) },
      {
        head: 'Version',
        className: 'version',
        cell: ({ version }) => ({ text: version === '*' ? 'all' : version }),
      },
      { head: 'Configuration loaded', cell: () => ({ at: loadedAt(), url: null }) },
    ],
    cursor: BY_ENTRY,
    read: (query, limit, after) => {
      const from = after && BY_ENTRY.encode(after);
      const entries = rejected()
        .filter((entry) => isAsked(entry, query))
        .map((entry) => ({ entry, key: BY_ENTRY.encode(entry) }))
        .filter(({ key }) => from === null || key > from)
        .sort((one, other) => (one.key < other.key ? -1 : 1));
      return Promise.resolve(entries.slice(0, limit).map(({ entry }) => entry));
    },
    count: (query) =>
      Promise.resolve({
        count: rejected().filter((entry) => isAsked(entry, query)).length,
        isMore: false,
      }),
    keyOf: (entry) => entry,
    object: (entry) => entry,
    entry: (entry) => ({
      path: `/status/reject_list/#${BY_ENTRY.encode(entry)}`,
      title: `${entry.package} is not tested`,
      text: `Suite ${entry.suite}, architecture ${entry.arch}, version ${entry.version}.`,
      date: loadedAt(),
    }),
  };
}

/** Whether an entry matches the filter. Both may have `*`: an entry for all suites matches each suite. */
function isAsked(entry: RejectedPackage, { suites, architectures, package: pattern }: ListQuery): boolean {
  const covers = (word: string, choice: string[] | null): boolean =>
    choice === null || word === '*' || choice.includes(word);
  const isNamed =
    pattern === null || fitsPattern(entry.package, pattern) || fitsPattern(pattern, entry.package);
  return isNamed && covers(entry.suite, suites) && covers(entry.arch, architectures);
}

/**
 * Whether a name matches a pattern, in which `*` stands for any text. There is no regular expression, because it can be
 * very slow with many `*`; this searches once for each part of the pattern.
 */
export function fitsPattern(name: string, pattern: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  let place = first.length;
  for (const part of parts) {
    const index = name.indexOf(part, place);
    if (index < 0) return false;
    place = index + part.length;
  }
  return place + last.length <= name.length;
}
