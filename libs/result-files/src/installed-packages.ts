import { setImmediate } from 'node:timers/promises';
import { type ArtifactsIndex, parseArtifactsIndex } from './artifacts-index';
import { type LogIndex, parseLogIndex } from './log-index';
import { memberText, type OpenResultFile, wholeText } from './stored-texts';
import { parseRecord } from './untrusted';

/** Versions by the names of binary packages. */
export type PackageVersions = ReadonlyMap<string, string>;

/** Suites, as apt names them, by the names of binary packages. */
type PackageSuites = ReadonlyMap<string, string>;

/** The testbed of a run, from the files of its result. */
export interface RunTestbed {
  /**
   * The packages of the testbed itself; null when no list of them can be read: then it is not known what was installed.
   */
  testbed: PackageVersions | null;
  /** The packages that were installed or upgraded for the run. */
  added: PackageVersions;
  /** The suites from which apt fetched packages of `added`, by package, as far as the log shows. */
  suites: PackageSuites;
  /** The kernel of the testbed according to `uname`; null: not known. */
  kernel: string | null;
  /** See LogIndex. */
  fallback: LogIndex['fallback'];
  /** See LogIndex. */
  withoutInitLine: LogIndex['withoutInitLine'];
  /**
   * The first line in the log of each test's output, and the duration of the test; null if the log does not have it.
   */
  tests: { name: string; line: number; seconds: number | null }[];
}

const TESTBED_LIST = 'testbed-packages';
/** The list of packages that the dependencies of a test have added. */
const TEST_LIST = /^[^/]+-packages$/;
const FACTS = 'testinfo.json';

/** Length of one list; longer files are not lists of packages. */
const LIST_BYTES_MAX = 2 * 1024 * 1024;
const LISTS_MAX = 50;
/** Lines that are read without a pause for other work. */
const LINES_AT_ONCE = 2_000;
/** Length of the description of a testbed. */
const FACTS_BYTES_MAX = 64 * 1024;
/** Packages in all lists of a run; testbeds have some hundreds. */
const PACKAGES_MAX = 20_000;
const KERNEL_LENGTH_MAX = 200;

/** Time limits for reading the files of one run. */
export const TESTBED_READING = {
  /** How long bytes before a list may be skipped. */
  passMs: 10_000,
  /** How long lists are read; further ones are ignored. */
  readMs: 20_000,
};

const NAME = /^[a-z0-9][a-z0-9+.-]{0,199}$/;
const VERSION = /^[0-9A-Za-z.+:~-]{1,200}$/;
const SUITE = /^[a-z0-9][\w.+~/-]{0,99}$/i;
/** The runner's own package with the dependencies of a test. */
const OWN_PACKAGE = 'autopkgtest-satdep';

/**
 * Reads the testbed of a run from its artifacts and the index of its log. Workers write these files: invalid parts are
 * treated as missing.
 * @param indexMs how long an index is read
 * @throws errors of `open`, and of the files that it has opened; TooFar if an index is not read in time
 */
export async function readTestbed(
  open: OpenResultFile,
  indexMs: number,
  limits = TESTBED_READING,
): Promise<RunTestbed> {
  const [artifacts, log] = await Promise.all([
    wholeText(open, 'artifacts-index.json', indexMs).then((text) => text && parseArtifactsIndex(text)),
    wholeText(open, 'log-index.json', indexMs).then((text) => text && parseLogIndex(text)),
  ]);
  const lists = artifacts ? await loadLists(open, artifacts, limits) : { testbed: null, added: new Map() };
  // Only the log has the upgrades of the testbed's own packages.
  const logged = (log && log.installed) || [];
  for (const [name, version] of logged) addPackage(lists.added, name, version);
  const { testbed, added } = lists;
  for (const [name, version] of testbed ?? []) if (added.get(name) === version) added.delete(name);
  const suites = new Map<string, string>();
  for (const [name, version, suite] of logged)
    if (suite !== undefined && SUITE.test(suite) && added.get(name) === version) suites.set(name, suite);
  const kernel = artifacts ? await loadKernel(open, artifacts, limits) : null;
  const tests = ((log && log.sections) || []).filter(({ kind }) => kind === 'test');
  return {
    testbed,
    added,
    suites,
    kernel,
    fallback: (log && log.fallback) || null,
    withoutInitLine: (log || null)?.withoutInitLine ?? null,
    tests: tests.map(({ name, line, seconds }) => ({ name, line, seconds })),
  };
}

type Limits = typeof TESTBED_READING;

async function loadLists(open: OpenResultFile, index: ArtifactsIndex, limits: Limits) {
  const until = performance.now() + limits.readMs;
  const fits = index.members.filter(({ path, size }) => TEST_LIST.test(path) && size <= LIST_BYTES_MAX);
  const added = new Map<string, string>();
  let testbed: Map<string, string> | null = null;
  for (const member of fits.slice(0, LISTS_MAX)) {
    const text = performance.now() > until ? null : await memberText(open, index, member, limits.passMs);
    if (text === null) return { testbed: null, added };
    const packages = member.path === TESTBED_LIST ? (testbed = new Map<string, string>()) : added;
    await addPackages(packages, text);
  }
  return { testbed, added };
}

/** Adds packages in slices, so that other work can run even if a worker's list is very long. */
async function addPackages(packages: Map<string, string>, text: string): Promise<void> {
  let lines = 0;
  for (let from = 0; from < text.length && packages.size < PACKAGES_MAX;) {
    const newline = text.indexOf('\n', from);
    const end = newline === -1 ? text.length : newline;
    addPackage(packages, ...nameAndVersion(text.slice(from, end)));
    from = end + 1;
    if (++lines % LINES_AT_ONCE === 0) await setImmediate();
  }
}

/** Splits a line of a name, a tab and a version. */
function nameAndVersion(line: string): [string, string] {
  const [name = '', version = ''] = line.split('\t');
  return [name, version];
}

function addPackage(packages: Map<string, string>, name: string, version: string): void {
  if (packages.size < PACKAGES_MAX && name !== OWN_PACKAGE && NAME.test(name) && VERSION.test(version))
    packages.set(name, version);
}

async function loadKernel(
  open: OpenResultFile,
  index: ArtifactsIndex,
  limits: Limits,
): Promise<string | null> {
  const member = index.members.find(({ path, size }) => path === FACTS && size <= FACTS_BYTES_MAX);
  const text = member && (await memberText(open, index, member, limits.passMs));
  const kernel = text ? parseRecord(text)?.['kernel_version'] : null;
  return typeof kernel === 'string' && /^[\x20-\x7e]+$/.test(kernel)
    ? kernel.slice(0, KERNEL_LENGTH_MAX)
    : null;
}
