import { duration, type NeutralStatus } from '@proctor/contracts';
import type { KeptTestbed, RunRecord } from '@proctor/database';
import { statusOf } from '../../runs/result-object';

/** How a run stands, in one sentence that title, page and description share. */
export function runSentence(run: RunRecord, neutral: NeutralStatus): string {
  const where = `${run.package} on ${run.suite}/${run.arch}`;
  if (run.state === 'queued') return `The test of ${where} waits.`;
  if (run.state !== 'finished') return `The test of ${where} is executed by ${run.worker}.`;
  const version = run.version && run.version !== 'n/a' ? ` ${run.version}` : '';
  const what = `${run.package}${version} on ${run.suite}/${run.arch}`;
  if (run.cancelled) return `The test of ${what} was cancelled.`;
  const took = run.durationSeconds === null ? '' : ` after ${duration(run.durationSeconds)}`;
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
  if (run.state !== 'finished') return [];
  const sentences = [ownMismatch(run), ...dependencyMismatches(run, testbed)].filter((each) => each !== null);
  const fallback = testbed?.fallback;
  return [
    ...sentences.map((sentence) => ({ sentence, line: null })),
    ...(fallback
      ? [
          {
            sentence: `The pins could not be kept: apt took all packages of ${fallback.release}.`,
            line: fallback.line,
          },
        ]
      : []),
  ];
}

function ownMismatch(run: RunRecord): string | null {
  const { version } = run;
  if (version === null || version === 'n/a') return null;
  const wanted = triggersOf(run).flatMap((each) => (each.name === run.package ? [each.version] : []));
  if (wanted.length === 0 || wanted.includes(version)) return null;
  return `The trigger names version ${wanted.join(', ')} of ${run.package}, but ${version} was tested.`;
}

/** Packages of the trigger that were installed by their own name, in another version; none where a package of the wanted one was. */
function dependencyMismatches(run: RunRecord, testbed: KeptTestbed | null): string[] {
  if (!testbed?.packages) return [];
  const { testbed: base, added } = testbed.packages;
  const installed = new Map([...base, ...added]);
  const versions = new Set([...installed.values()].map((version) => version.replace(/\+b\d+$/, '')));
  return triggersOf(run).flatMap(({ name, version }) => {
    const found = installed.get(name);
    if (name === run.package || found === undefined || versions.has(version)) return [];
    return [`The trigger names version ${version} of ${name}, but ${found} was installed.`];
  });
}

function triggersOf({ trigger }: RunRecord): { name: string; version: string }[] {
  return (trigger ?? '').split(' ').flatMap((word) => {
    const [name = '', version] = word.split('/');
    return version && version !== '0' ? [{ name, version }] : [];
  });
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
