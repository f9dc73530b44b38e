import { surroundedCommand } from '../../sandbox/rooted-command';
import { PLAIN_WITH_USER, TEST_USER } from '../images/image-shape';
import { PATIENTLY, writePatience } from './patience';
import { findOverlayProblem } from './surroundings';
import { TRIAL_TIMEOUT_MS, type TestbedKind } from './testbed-kind';

/**
 * schroot insists on configuration, sessions and chroots that root owns: they are made in the work area, whose root the
 * run user is, and take the place of the machine's. Its own ways to mount /proc, /sys and /dev, and an overlay in which
 * dpkg can rename folders, need the machine's root, so a script of ours mounts them over what schroot has mounted.
 */
const PREPARE = `${PATIENTLY}
image=$1
shift
home=$TMPDIR/schroot
mkdir -p "$home/root" "$home/var/mount" "$home/var/session" "$home/var/unpack"
mkdir -p "$home/var/union/overlay" "$home/var/union/underlay" /run/schroot
tar --extract --numeric-owner --exclude='./dev/*' --directory="$home/root" --file="$image"
cp -r /etc/schroot "$home/etc"
rm -rf "$home/etc/chroot.d"
mkdir "$home/etc/chroot.d" "$home/etc/proctor"
touch "$home/etc/proctor/copyfiles" "$home/etc/proctor/fstab" "$home/etc/proctor/nssdatabases"
cat >"$home/etc/chroot.d/testbed" <<END
[testbed]
type=directory
directory=$home/root
union-type=overlay
profile=proctor
root-users=root
END
cat >"$home/etc/setup.d/11proctor" <<'END'
#!/bin/sh
set -e
root=$CHROOT_PATH
case $1 in
setup-start)
  own=$CHROOT_UNION_OVERLAY_DIRECTORY/own
  mkdir -p "$own/upper" "$own/work"
  mount -t overlay -o "lowerdir=$CHROOT_UNION_UNDERLAY_DIRECTORY,upperdir=$own/upper,workdir=$own/work,userxattr" proctor "$root"
  mount --rbind --make-rslave /proc "$root/proc"
  mount --rbind --make-rslave /sys "$root/sys"
  mount -t tmpfs -o mode=755 proctor "$root/dev"
  for name in full null random tty urandom zero; do
    touch "$root/dev/$name"
    mount --bind "/dev/$name" "$root/dev/$name"
  done
  mkdir "$root/dev/pts" "$root/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=666,mode=620,gid=5 proctor "$root/dev/pts"
  mount -t tmpfs -o mode=1777 proctor "$root/dev/shm"
  ln -s pts/ptmx "$root/dev/ptmx"
  ln -s /proc/self/fd "$root/dev/fd"
  ln -s fd/0 "$root/dev/stdin"
  ln -s fd/1 "$root/dev/stdout"
  ln -s fd/2 "$root/dev/stderr"
  ;;
setup-stop)
  umount --lazy "$root"
  ;;
esac
END
chmod 755 "$home/etc/setup.d/11proctor"
cp -r /etc/pam.d "$home/pam.d"
printf '%s required pam_permit.so\\n' auth account session >"$home/pam.d/schroot"
mount --bind "$home/etc" /etc/schroot
mount --bind "$home/pam.d" /etc/pam.d
mount --bind "$home/var" /var/lib/schroot
`;

/** autopkgtest-virt-schroot: an overlay on an unpacked image, a new one for each test. */
export const SCHROOT: TestbedKind = {
  name: 'schroot',
  tools: () => ['schroot'],
  isolation: 'files only within the run; no isolation-container, no reboot',
  emulates: true,
  image: PLAIN_WITH_USER,
  modes: [''],
  trialTimeoutMs: TRIAL_TIMEOUT_MS,
  findProblem: (sandboxes) => findOverlayProblem(sandboxes),
  use: async ({ image, folder }) => ({
    options: [`--user=${TEST_USER}`],
    server: ['schroot', 'testbed'],
    asRoot: true,
    wrapper: surroundedCommand(PREPARE, [await writePatience(folder), image]),
  }),
};
