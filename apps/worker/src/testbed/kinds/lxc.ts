import { surroundedCommand } from '../../sandbox/rooted-command';
import { BOOTABLE } from '../images/image-shape';
import { PATIENTLY, writePatience } from './patience';
import { findContainerProblem } from './surroundings';
import { TRIAL_TIMEOUT_MS, type TestbedKind } from './testbed-kind';

/**
 * The container shares the network and /sys of the sandbox's root; it mounts /sys elsewhere too, since root may mount another only where
 * one can be written. The container that
 * is copied for each test is empty, and each copy mounts an overlay on the unpacked image: lxc's own overlays need the
 * machine's root for dpkg to rename folders in them.
 */
const PREPARE = `${PATIENTLY}
image=$1
shift
home=$TMPDIR/lxc
mkdir -p "$home/testbed/rootfs" "$TMPDIR/system"
tar --extract --numeric-owner --exclude='./dev/*' --directory="$TMPDIR/system" --file="$image"
mkdir /run/system
mount --bind "$TMPDIR/system" /run/system
cat >"$TMPDIR/overlay" <<'END'
#!/bin/sh
set -e
own=/var/lib/lxc/$LXC_NAME
case $LXC_HOOK_TYPE in
pre-start)
  mkdir -p "$own/upper" "$own/work"
  mount -t overlay -o "lowerdir=/run/system,upperdir=$own/upper,workdir=$own/work,userxattr" proctor "$own/rootfs"
  ;;
post-stop) umount --lazy "$own/rootfs" ;;
esac
END
chmod 755 "$TMPDIR/overlay"
cat >"$home/testbed/config" <<END
lxc.include = /usr/share/lxc/config/common.conf
lxc.include = /usr/share/lxc/config/userns.conf
lxc.uts.name = testbed
lxc.rootfs.path = dir:/var/lib/lxc/testbed/rootfs
lxc.net.0.type = none
lxc.apparmor.profile = unconfined
lxc.log.file = $TMPDIR/lxc.log
lxc.hook.version = 1
lxc.hook.pre-start = $TMPDIR/overlay
lxc.hook.post-stop = $TMPDIR/overlay
lxc.mount.auto =
lxc.mount.auto = proc:rw cgroup:rw:force
lxc.mount.entry = /sys sys none rbind,ro 0 0
lxc.mount.entry = sys dev/.lxc/sys sysfs create=dir,optional 0 0
END
mount --bind "$home" /var/lib/lxc
`;

/** autopkgtest-virt-lxc: a container with an init of its own, as an overlay on an unpacked image. */
export const LXC: TestbedKind = {
  name: 'lxc',
  tools: () => ['lxc-copy', 'rsync'],
  isolation: 'container with systemd; offers isolation-container and reboot',
  emulates: false,
  image: BOOTABLE,
  modes: [''],
  trialTimeoutMs: TRIAL_TIMEOUT_MS,
  findProblem: (sandboxes) => findContainerProblem(sandboxes),
  use: async ({ image, folder }) => ({
    options: [],
    server: ['lxc', 'testbed'],
    asRoot: true,
    wrapper: surroundedCommand(PREPARE, [await writePatience(folder), image]),
  }),
};
