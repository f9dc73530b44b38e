import {
  isOwnBackend,
  isUntested,
  type KnownBackend,
  type NeutralStatus,
  type OtherSuite,
  type OtherVersion,
} from '@proctor/contracts';
import type { StoredTestbed, PackageStatus, RunRecord } from '@proctor/database';
import type { PackageLinkSection } from '@proctor/config';
import { otherPackages } from '@proctor/result-files';
import { statusOf } from '../../runs/result-object';
import { wantedVersions } from '../../runs/wanted-versions';
import { durationWords } from '../layout/sentence';
import { secondsInWords } from '../layout/times';

/** Describes the state of a run in one sentence, for the title, the page and the description. */
export function runSentence(run: RunRecord, neutral: NeutralStatus): string {
  const where = `${run.package} on ${run.suite}/${run.arch}`;
  if (run.state === 'queued') return `The test of ${where} is waiting.`;
  if (run.state !== 'finished') return `The test of ${where} is running on ${run.worker}.`;
  const version = run.version && run.version !== 'n/a' ? ` ${run.version}` : '';
  const what = `${run.package}${version} on ${run.suite}/${run.arch}`;
  if (run.supersededBy !== null)
    return `The test of ${what} was superseded by run ${run.supersededBy}, which tests with a newer version.`;
  if (run.cancelled) return `The test of ${what} was cancelled.`;
  if (isUntested(run.verdict)) return `Nothing was tested: ${run.message ?? `${where} is not there`}.`;
  const took = run.durationSeconds === null ? '' : ` in ${secondsInWords(run.durationSeconds)}`;
  const status = statusOf(run.verdict, neutral);
  if (status === 'pass') return `${what} passed${took}.`;
  if (status === 'neutral') return `${what} has nothing to test.`;
  if (status === 'fail') return `${what} failed${took}.`;
  return `${what} could not be tested.`;
}

/** How long a running run has run, compared with the last runs of its place. */
interface RunProgress {
  startedAt: Date;
  elapsedSeconds: number;
  /** The median; null when it is not known. */
  usualSeconds: number | null;
  /** The usual duration in words; empty when it is not known. */
  durations: string;
}

type PlaceDurations = Pick<PackageStatus, 'suite' | 'arch' | 'durations'>;

function durationsAt({ suite, arch }: Pick<RunRecord, 'suite' | 'arch'>, statuses: PlaceDurations[]) {
  return statuses.find((status) => status.suite === suite && status.arch === arch)?.durations ?? null;
}

/** How long the last runs of a place took, in words; empty when that is not known. */
export function usualDuration(place: Pick<RunRecord, 'suite' | 'arch'>, statuses: PlaceDurations[]): string {
  const durations = durationsAt(place, statuses);
  return durations ? durationWords(durations) : '';
}

/** Null for a run that is not running. @param statuses the stored statuses of its package */
export function progressOf(
  { state, startedAt, ...place }: RunRecord,
  statuses: PlaceDurations[],
  now: Date,
): RunProgress | null {
  if (state !== 'running' || startedAt === null) return null;
  const durations = durationsAt(place, statuses);
  return {
    startedAt,
    elapsedSeconds: Math.max(0, Math.round((now.getTime() - startedAt.getTime()) / 1_000)),
    usualSeconds: durations?.medianSeconds || null,
    durations: usualDuration(place, statuses),
  };
}

/** A difference between a run and its request, with the line of the log that shows it, if any. */
interface Mismatch {
  sentence: string;
  line: number | null;
}

/** The packages of a run that differ from its request. */
interface PackageMismatches {
  otherVersions: OtherVersion[];
  otherSuites: OtherSuite[];
  /** The release from which apt took all packages because the pins could not be kept; null when they were kept. */
  fallback: { release: string; line: number | null } | null;
}

/** The differences between a run and its request. @param testbed null when it is not known */
export function mismatches(run: RunRecord, testbed: StoredTestbed | null): Mismatch[] {
  const others = testbed?.packages ? otherPackages(run, testbed.packages) : { versions: [], suites: [] };
  return mismatchesOf(run, {
    otherVersions: others.versions,
    otherSuites: others.suites,
    fallback: testbed?.fallback ?? null,
  });
}

/** The differences in sentences; empty while the run has not ended. */
export function mismatchesOf(run: RunRecord, packages: PackageMismatches): Mismatch[] {
  if (run.state !== 'finished') return [];
  const versions = wantedVersions(run);
  const { fallback } = packages;
  return [
    versions && {
      sentence: `The trigger names version ${versions.join(', ')} of ${run.package}, but ${run.version} was tested.`,
      line: null,
    },
    ...packages.otherVersions.map(({ package: name, wanted: version, installed }) => ({
      sentence: `The trigger names version ${version} of ${name}, but ${installed} was installed.`,
      line: null,
    })),
    fallback && {
      sentence: `apt could not satisfy the pins and took all packages from ${fallback.release}.`,
      line: fallback.line,
    },
    ...packages.otherSuites.map((other) => ({ sentence: suiteSentence(other), line: null })),
  ].filter((mismatch) => mismatch !== null);
}

const NAMES_LISTED_MAX = 3;

/** `libfoo1, libfoo-dev, foo and 2 more came from experimental, which was not requested.` */
function suiteSentence({ suite, packages, more }: OtherSuite): string {
  const listed = packages.slice(0, NAMES_LISTED_MAX);
  const others = packages.length - listed.length + more;
  const names = listed.join(', ') + (others > 0 ? ` and ${others} more` : '');
  return `${names} came from ${suite}, which was not requested.`;
}

/** The arguments of autopkgtest for each backend. Images have the names that the tools of autopkgtest give them. */
const SERVERS: Record<KnownBackend, (suite: string, arch: string) => string[]> = {
  lxc: (suite, arch) => ['lxc', `autopkgtest-${suite}-${arch}`],
  null: () => ['null'],
  podman: (suite) => ['podman', `autopkgtest/debian:${suite}`],
  qemu: (suite, arch) => ['qemu', `${suite}-${arch}.img`],
  schroot: (suite, arch) => ['schroot', `${suite}-${arch}-sbuild`],
  unshare: (suite, arch) => ['unshare', '--release', suite, '--arch', arch],
};

/** The command that repeats the run on the reader's machine; with an unknown backend it uses `unshare`. */
export function reproduceCommand(run: RunRecord): string {
  return commandOn(run, SERVERS[isOwnBackend(run.backend) ? run.backend : 'unshare'](run.suite, run.arch));
}

/** Suites that add packages to another one: no testbed can be made of them alone. */
const PARTIAL_SUITE = /-(security|updates|proposed-updates|backports(-sloppy)?)$|^(experimental|rc-buggy)$/;

/**
 * The commands that repeat the run in a testbed of the archive as it was when the run began.
 * @param links the configured ones; the first that names the archive of a time counts
 * @returns null without such a link, for a run that never began, and for a suite that is no whole release
 */
export function snapshotCommands(run: RunRecord, links: PackageLinkSection[]): string | null {
  const archiveUrl = links.find(({ archive }) => archive !== undefined)?.archive;
  if (archiveUrl === undefined || run.startedAt === null || PARTIAL_SUITE.test(run.suite)) return null;
  const second = run.startedAt.toISOString().replace(/[-:]|\.\d+/g, '');
  const archive = `${archiveUrl.replaceAll('{time}', second)} ${run.suite} main`;
  const file = `${run.suite}-${run.arch}.tar`;
  const options = ['--variant=minbase', `--architectures=${run.arch}`, '--include=dpkg-dev'];
  const expiry = '--aptopt=Acquire::Check-Valid-Until "false"';
  const build = ['mmdebstrap', ...options, expiry, run.suite, file, `deb ${archive}`, `deb-src ${archive}`];
  return `${build.map(quoted).join(' ')}\n${commandOn(run, ['unshare', '--tarball', file])}`;
}

/** @param server the arguments of autopkgtest for the testbed */
function commandOn(run: RunRecord, server: string[]): string {
  // With extra sources these have the pinned packages, not the suite.
  const hasSources = run.extraAptSources.length > 0;
  const releases = run.pinPackages.flatMap(([spec, suite]) => [
    ...(hasSources ? [] : [`--add-apt-release=${suite}`]),
    `--pin-packages=${suite}=${spec}`,
  ]);
  const trigger = run.trigger ? [`--env=ADT_TEST_TRIGGERS=${run.trigger}`] : [];
  const options = ['--no-built-binaries', '--apt-upgrade', ...releases, ...trigger];
  return ['autopkgtest', ...options, run.package, '--', ...server].map(quoted).join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
