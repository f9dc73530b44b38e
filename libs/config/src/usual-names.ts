/** Architectures of Debian and of its ports, as dpkg-architecture(1) lists them; without `all`, on which nothing is executed. */
export const ARCHITECTURES: readonly string[] = [
  ...['amd64', 'arm64', 'armel', 'armhf', 'i386', 'mips64el', 'mipsel', 'ppc64el', 'riscv64', 's390x'],
  ...[
    'alpha',
    'arc',
    'hppa',
    'hurd-amd64',
    'hurd-i386',
    'ia64',
    'kfreebsd-amd64',
    'kfreebsd-i386',
    'loong64',
  ],
  ...['m68k', 'mips', 'mips64', 'or1k', 'powerpc', 'powerpcspe', 'ppc64', 'sh4', 'sparc', 'sparc64', 'x32'],
];

const RELEASES = [
  ...['jessie', 'stretch', 'buster', 'bullseye', 'bookworm', 'trixie', 'forky', 'duke', 'sid'],
  ...['oldoldstable', 'oldstable', 'stable', 'testing', 'unstable', 'experimental', 'rc-buggy'],
];
const POCKETS = ['-backports', '-backports-sloppy', '-proposed-updates', '-security', '-updates'];

/** Suites that Debian has or has had. */
export const SUITES: readonly string[] = RELEASES.flatMap((release) => [
  release,
  ...POCKETS.map((pocket) => `${release}${pocket}`),
]);
