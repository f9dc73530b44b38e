/** The packages and the file format of an image, beyond a minimal system with the sources of its suite. */
export interface ImageShape {
  extension: 'tar' | 'raw';
  /** Debian packages beyond the usual ones. */
  packages(arch: string): string[];
  /** Shell commands that change the system in the folder $1. */
  hooks: string[];
  /**
   * A shell script, run by root of a user namespace, that turns the tar file $1 into the image on standard output.
   * Null: the tar file is the image.
   */
  finish: string | null;
}

/** A user for tests that need no root; the servers use the first ordinary user. */
const ADD_USER = 'chroot "$1" useradd --create-home --shell /bin/bash tester';

/** The name of that user. */
export const TEST_USER = 'tester';

/** A plain system for the `unshare` server, which adds a user itself. */
export const PLAIN: ImageShape = { extension: 'tar', packages: () => [], hooks: [], finish: null };

export const PLAIN_WITH_USER: ImageShape = { ...PLAIN, hooks: [ADD_USER] };

/** A bootable system: many tests expect a session manager in addition to its init. */
export const BOOTABLE: ImageShape = {
  ...PLAIN_WITH_USER,
  packages: () => ['dbus', 'libpam-systemd', 'systemd-sysv'],
};
