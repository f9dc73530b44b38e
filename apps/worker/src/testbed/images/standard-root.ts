import { TESTBED_NAME } from '../../sandbox/testbed-name';

/**
 * The packages of every image beyond a minimal system. They give tests the same environment as the testbeds of debci
 * and of autopkgtest's own image builders. docs/testbeds.md compares them.
 */
export const STANDARD_PACKAGES = [
  'adduser',
  'apt-utils',
  'ca-certificates',
  'dpkg-dev',
  'eatmydata',
  'iproute2',
  'iputils-ping',
  'locales',
  // The names of services and protocols: getservbyname(3), getprotobyname(3).
  'netbase',
  'procps',
  'python3-minimal',
  'tzdata',
];

/** hosts(5), as Debian's installer writes it. */
const HOSTS = `127.0.0.1	localhost
127.0.1.1	${TESTBED_NAME}

::1	localhost ip6-localhost ip6-loopback
ff02::1	ip6-allnodes
ff02::2	ip6-allrouters
`;

/** Shell commands that change the system in the folder $1. */
export const STANDARD_HOOKS = [
  `printf '${HOSTS.replaceAll('\n', '\\n')}' >"$1/etc/hosts"; echo ${TESTBED_NAME} >"$1/etc/hostname"`,
  // A machine id that a package has created stays, since the package may have passed it on.
  '[ -s "$1/etc/machine-id" ] || tr -d - </proc/sys/kernel/random/uuid >"$1/etc/machine-id"',
  'echo "en_US.UTF-8 UTF-8" >>"$1/etc/locale.gen"; chroot "$1" locale-gen >&2; echo LANG=C.UTF-8 >"$1/etc/default/locale"',
  'ln -sfT ../proc/self/mounts "$1/etc/mtab"; [ -e "$1/etc/fstab" ] || echo "# No file system is mounted at boot." >"$1/etc/fstab"',
];
