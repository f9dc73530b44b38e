import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rootedCommand } from '../../sandbox/rooted-command';
import { Unusable } from '../../sandbox/unusable';
import { BOOTABLE } from '../images/image-shape';
import { PATIENTLY, writePatience } from './patience';
import type { ImageUse, TestbedKind } from './testbed-kind';

interface Emulator {
  program: string;
  kernelPackage: string;
}

/** Architecture → its emulator. */
const EMULATORS: Record<string, Emulator> = {
  amd64: { program: 'qemu-system-x86_64', kernelPackage: 'linux-image-amd64' },
  i386: { program: 'qemu-system-i386', kernelPackage: 'linux-image-686' },
};

const BOOT_TIMEOUT_S = 900;
const MEMORY_MIB = 2048;
/** A single emulated processor may be too busy to answer while it boots. */
const PROCESSORS = 2;

/**
 * autopkgtest uses a root shell on one of these. The first loses characters when an emulated machine is slow; the
 * second needs its driver before the shells start.
 */
const SHELL_CONSOLES = ['ttyS1', 'hvc1'];

const SHELL_UNIT = `[Unit]
ConditionPathExists=/dev/%I
[Service]
ExecStart=/bin/sh
StandardInput=tty-fail
StandardOutput=tty
TTYPath=/dev/%I
SendSIGHUP=yes
SuccessExitStatus=0 208 SIGHUP SIGINT SIGTERM SIGPIPE
`;

const NETWORK = `[Match]
Name=en* eth*
[Network]
DHCP=ipv4
`;

const HOOKS = [
  `printf '${SHELL_UNIT.replaceAll('\n', '\\n').replaceAll('%', '%%')}' >"$1/etc/systemd/system/root-shell@.service"`,
  'echo virtio_console >"$1/etc/modules-load.d/testbed.conf"',
  'mkdir -p "$1/etc/systemd/system/multi-user.target.wants"',
  ...SHELL_CONSOLES.map(
    (name) =>
      `ln -s ../root-shell@.service "$1/etc/systemd/system/multi-user.target.wants/root-shell@${name}.service"`,
  ),
  `mkdir -p "$1/etc/systemd/network"; printf '${NETWORK.replaceAll('\n', '\\n')}' >"$1/etc/systemd/network/80-dhcp.network"`,
  'chroot "$1" systemctl enable systemd-networkd.service',
];

/**
 * A file system without partitions or a boot loader, since installing one would need root. The kernel is read from it
 * and passed to qemu at each boot.
 */
const MAKE_DISK = `
root=$TMPDIR/root disk=$TMPDIR/disk
mkdir "$root"
tar --extract --numeric-owner --exclude='./dev/*' --directory="$root" --file="$1"
ln "$root"/boot/vmlinuz-* "$root/boot/testbed-kernel"
ln "$root"/boot/initrd.img-* "$root/boot/testbed-initrd"
truncate --size=20G "$disk"
mke2fs -q -t ext4 -m 0 -E lazy_itable_init=1 -d "$root" "$disk" >&2
dd if="$disk" bs=1M conv=sparse status=none
`;

/**
 * Replaces the emulator: boots the kernel of the image $image in the mode $mode. autopkgtest requests KVM wherever
 * /dev/kvm exists, even if it cannot be opened or does not boot.
 */
const EMULATE = `
set -e
for name in kernel initrd; do
  [ -s "$TMPDIR/$name" ] || debugfs -R "dump /boot/testbed-$name $TMPDIR/$name" "$image" 2>/dev/null
done
if [ "$mode" = tcg ]; then
  count=$#
  while [ "$count" -gt 0 ]; do
    argument=$1
    shift
    count=$((count - 1))
    case $argument in
    -enable-kvm) ;;
    -cpu)
      shift
      count=$((count - 1))
      ;;
    *) set -- "$@" "$argument" ;;
    esac
  done
  set -- "$@" -accel tcg,thread=multi -cpu max
fi
exec "$emulator" "$@" -kernel "$TMPDIR/kernel" -initrd "$TMPDIR/initrd" \\
  -append 'root=/dev/vda rw console=ttyS0 quiet net.ifnames=0'
`;

/**
 * The names of sockets must be short, and they are in the work area. autopkgtest would set this machine's time zone,
 * which takes an emulated machine long.
 */
const PREPARE = `${PATIENTLY}
mkdir /run/work
mount --bind "$TMPDIR" /run/work
export TMPDIR=/run/work
if [ -e /etc/timezone ]; then mount --bind /dev/null /etc/timezone; fi
`;

/** autopkgtest-virt-qemu: a virtual machine, with KVM if an image booted with it, otherwise slowly without. */
export const QEMU: TestbedKind = {
  name: 'qemu',
  tools: (arch) => [emulatorOf(arch).program, 'qemu-img', 'mke2fs', 'debugfs'],
  isolation: 'virtual machine; offers isolation-machine and reboot',
  emulates: false,
  image: {
    ...BOOTABLE,
    extension: 'raw',
    packages: (arch) => [...BOOTABLE.packages(arch), 'udev', emulatorOf(arch).kernelPackage],
    hooks: [...BOOTABLE.hooks, ...HOOKS],
    finish: MAKE_DISK,
  },
  modes: ['kvm', 'tcg'],
  trialTimeoutMs: (BOOT_TIMEOUT_S + 600) * 1000,
  use: async (use) => ({
    options: [],
    wrapper: rootedCommand(PREPARE, [await writePatience(use.folder)]),
    server: [
      'qemu',
      `--qemu-command=${await writeEmulator(use)}`,
      `--timeout-reboot=${use.mode === 'kvm' ? 60 : BOOT_TIMEOUT_S}`,
      `--ram-size=${MEMORY_MIB}`,
      `--cpus=${PROCESSORS}`,
      use.image,
    ],
  }),
};

async function writeEmulator({ image, arch, mode, folder }: ImageUse): Promise<string> {
  const { program } = emulatorOf(arch);
  const path = join(folder.path, program);
  const values = Object.entries({ image, mode, emulator: program });
  const lines = values.map(([name, value]) => `${name}='${value.replaceAll("'", "'\\''")}'\n`);
  await writeFile(path, `#!/bin/sh\n${lines.join('')}${EMULATE}`);
  await chmod(path, 0o755);
  return path;
}

function emulatorOf(arch: string): Emulator {
  const emulator = EMULATORS[arch];
  if (!emulator)
    throw new Unusable(`images for virtual machines are made for ${Object.keys(EMULATORS).join(', ')}`);
  return emulator;
}
