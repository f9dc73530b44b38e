import type { PackageLinkSection } from './package-link-section';

const RELEASES = [
  ...['jessie', 'stretch', 'buster', 'bullseye', 'bookworm', 'trixie', 'forky', 'duke', 'sid'],
  ...['oldoldstable', 'oldstable', 'stable', 'testing', 'unstable', 'experimental', 'rc-buggy'],
];
const POCKETS = ['-backports', '-backports-sloppy', '-proposed-updates', '-security', '-updates'];

/** Suites that Debian has or has had. */
export const DEBIAN_SUITES: readonly string[] = RELEASES.flatMap((release) => [
  release,
  ...POCKETS.map((pocket) => `${release}${pocket}`),
]);

/** What Debian's own sites have about a source package. */
const DEBIAN_LINKS: PackageLinkSection[] = [
  { name: 'Tracker', url: 'https://tracker.debian.org/pkg/{package}' },
  { name: 'Bugs', url: 'https://bugs.debian.org/src:{package}' },
  { name: 'Sources', url: 'https://sources.debian.org/src/{package}/{version}/' },
  { name: 'Sources', url: 'https://sources.debian.org/src/{package}/' },
  { name: 'Changelog', url: 'https://sources.debian.org/src/{package}/{version}/debian/changelog/' },
  { name: 'Builds', url: 'https://buildd.debian.org/status/package.php?p={package}' },
  { name: 'Snapshots', url: 'https://snapshot.debian.org/package/{package}/{version}/' },
  {
    name: 'Snapshots',
    url: 'https://snapshot.debian.org/package/{package}/',
    // Without certificates in a testbed, apt checks the archive by its signature alone.
    archive: 'http://snapshot.debian.org/archive/debian/{time}/',
  },
];

/** The links of a deployment that configures none: Debian's sites know the packages of its suites, and of no others. */
export function linksFor(suites: readonly string[]): PackageLinkSection[] {
  return suites.every((suite) => DEBIAN_SUITES.includes(suite)) ? DEBIAN_LINKS : [];
}
