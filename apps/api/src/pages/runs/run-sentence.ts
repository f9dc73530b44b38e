import { type NeutralStatus, type OtherVersion, packagesOfTrigger } from '@proctor/contracts';
import type { KeptTestbed, RunRecord } from '@proctor/database';
import { otherVersions } from '@proctor/result-files';
import { statusOf } from '../../runs/result-object';
import { unaskedSuites } from '../../runs/unasked-suites';
import { secondsInWords } from '../frame/times';

/** How a run stands, in one sentence that title, page and description share. */
export function runSentence(run: RunRecord, neutral: NeutralStatus): string {
  const where = `${run.package} on ${run.suite}/${run.arch}`;
  if (run.state === 'queued') return `The test of ${where} waits.`;
  if (run.state !== 'finished') return `The test of ${where} is executed by ${run.worker}.`;
  const version = run.version && run.version !== 'n/a' ? ` ${run.version}` : '';
  const what = `${run.package}${version} on ${run.suite}/${run.arch}`;
  if (run.cancelled) return `The test of ${what} was cancelled.`;
  const took = run.durationSeconds === null ? '' : ` after ${secondsInWords(run.durationSeconds)}`;
  const status = statusOf(run.verdict, neutral);
  if (status === 'pass') return `${what} passes${took}.`;
  if (status === 'neutral') return `${what} has nothing to test.`;
  if (status === 'fail') return `${what} fails${took}.`;
  return `${what} could not be tested.`;
}

/** What was tested otherwise than it was asked for: a sentence each, and the line of the log that tells so. */
export interface Mismatch {
  sentence: string;
  line: number | null;
}

/** @param testbed null when nothing is known of it */
export function mismatches(run: RunRecord, testbed: KeptTestbed | null): Mismatch[] {
  const fallback = testbed?.fallback ?? null;
  const sentences = mismatchSentences(run, {
    otherVersions: testbed?.packages ? otherVersions(run, testbed.packages) : [],
    fallbackRelease: fallback?.release ?? null,
  });
  // That pins were given up is told last of these.
  const last = sentences.length - 1;
  const told = sentences.map((sentence, place) => ({
    sentence,
    line: fallback && place === last ? fallback.line : null,
  }));
  return [...told, ...unaskedSentences(run, testbed).map((sentence) => ({ sentence, line: null }))];
}

const NAMES_TOLD_MAX = 3;

/** `libfoo1, libfoo-dev and 2 more came from experimental, which was not asked for.` */
function unaskedSentences(run: RunRecord, testbed: KeptTestbed | null): string[] {
  if (run.state !== 'finished') return [];
  return unaskedSuites(run, testbed?.packages ?? null).map(({ suite, packages }) => {
    const more = packages.length - NAMES_TOLD_MAX;
    const names = packages.slice(0, NAMES_TOLD_MAX).join(', ') + (more > 0 ? ` and ${more} more` : '');
    return `${names} came from ${suite}, which was not asked for.`;
  });
}

/** In what packages a run differs from what was asked for. */
export interface PackageMismatches {
  otherVersions: OtherVersion[];
  /** Of which apt took all packages, since the pins could not be kept; null when it did not. */
  fallbackRelease: string | null;
}

/** What was tested otherwise than it was asked for, a sentence each; none of a run that has not ended. */
export function mismatchSentences(run: RunRecord, packages: PackageMismatches): string[] {
  if (run.state !== 'finished') return [];
  const wanted = wantedVersions(run);
  const release = packages.fallbackRelease;
  return [
    wanted &&
      `The trigger names version ${wanted.join(', ')} of ${run.package}, but ${run.version} was tested.`,
    ...packages.otherVersions.map(
      ({ package: name, wanted: version, installed }) =>
        `The trigger names version ${version} of ${name}, but ${installed} was installed.`,
    ),
    release !== null && `The pins could not be kept: apt took all packages of ${release}.`,
  ].filter((sentence) => typeof sentence === 'string');
}

/** The versions of its own package that the trigger of a run names, when another one was tested; null otherwise. */
export function wantedVersions({ package: name, trigger, version }: RunRecord): string[] | null {
  if (version === null || version === 'n/a') return null;
  const wanted = packagesOfTrigger(trigger).flatMap((each) => (each.name === name ? [each.version] : []));
  return wanted.length === 0 || wanted.includes(version) ? null : wanted;
}

/** How the images of a suite and architecture are named by the tools that come with autopkgtest. */
const SERVERS: Record<string, (suite: string, arch: string) => string[]> = {
  lxc: (suite, arch) => ['lxc', `autopkgtest-${suite}-${arch}`],
  null: () => ['null'],
  podman: (suite) => ['podman', `autopkgtest/debian:${suite}`],
  qemu: (suite, arch) => ['qemu', `${suite}-${arch}.img`],
  schroot: (suite, arch) => ['schroot', `${suite}-${arch}-sbuild`],
  unshare: (suite, arch) => ['unshare', '--release', suite, '--arch', arch],
};

/** The command that does the same on a machine of one's own; with a backend that is not known here, in a new namespace. */
export function reproduceCommand(run: RunRecord): string {
  const releases = run.pinPackages.flatMap(([spec, suite]) => [
    `--add-apt-release=${suite}`,
    `--pin-packages=${suite}=${spec}`,
  ]);
  const trigger = run.trigger ? [`--env=ADT_TEST_TRIGGERS=${run.trigger}`] : [];
  const options = ['--no-built-binaries', '--apt-upgrade', ...releases, ...trigger];
  const server = SERVERS[run.backend] ?? SERVERS['unshare']!;
  return ['autopkgtest', ...options, run.package, '--', ...server(run.suite, run.arch)].map(quoted).join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
