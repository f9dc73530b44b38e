/** What an image holds beyond a minimal system with the sources of its suite, and the form that it is kept in. */
export interface ImageShape {
  extension: 'tar' | 'raw';
  /** Debian packages beyond the usual ones. */
  packages(arch: string): string[];
  /** Shell commands that change the system in the folder $1. */
  hooks: string[];
  /**
   * Makes the image of the tar file $1 and writes it to standard output: a shell script that root of a user namespace
   * runs. null: the tar file is the image.
   */
  finish: string | null;
}

/** A user for tests that need no root; the servers take the first ordinary user that they find. */
const ADD_USER = 'chroot "$1" useradd --create-home --shell /bin/bash tester';

/** The name of the user in the images that have one. */
export const TEST_USER = 'tester';

/** A plain system: what the `unshare` server unpacks. It adds a user itself. */
export const PLAIN: ImageShape = { extension: 'tar', packages: () => [], hooks: [], finish: null };

export const PLAIN_WITH_USER: ImageShape = { ...PLAIN, hooks: [ADD_USER] };

/** A system that boots: many tests expect a session manager beside its init. */
export const BOOTABLE: ImageShape = {
  ...PLAIN_WITH_USER,
  packages: () => ['dbus', 'libpam-systemd', 'systemd-sysv'],
};
