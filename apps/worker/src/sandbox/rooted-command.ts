/**
 * Runs in the sandbox as root of a user namespace: that root is the run user outside, so the machine's root is not
 * needed. What virtualisation servers write below /run and /dev/shm ends with them. The control groups are those of the
 * sandbox, in the unified layout that container tools expect.
 */
const SURROUNDINGS = `
set -e
mount -t tmpfs -o mode=755 proctor /run
mkdir /run/lock
mount -t tmpfs -o mode=1777 proctor /dev/shm
mount -t cgroup2 proctor /sys/fs/cgroup
`;

/**
 * A command that executes its further arguments as root of a user, mount, control group and host name namespace within
 * the sandbox, after `script` has prepared what they need. `args` are the arguments of the script, from $1 on; it must
 * `shift` them. That root has no rights over the network.
 */
export function rootedCommand(script: string, args: string[]): string[] {
  return ['unshare', '--user', '--map-auto', '--map-root-user', ...surroundedCommand(script, args).slice(1)];
}

/** The same for a sandbox whose command is root already (`asRoot`), and may have a network of its own. */
export function surroundedCommand(script: string, args: string[]): string[] {
  return [
    'unshare',
    '--mount',
    '--cgroup',
    '--uts',
    '--',
    ...scriptedCommand(`${SURROUNDINGS}${script}`, args),
  ];
}

/** A command that executes its further arguments after `script`, as rootedCommand does, but without new namespaces. */
export function scriptedCommand(script: string, args: string[]): string[] {
  return ['sh', '-c', `${script}exec "$@"\n`, 'proctor-testbed', ...args];
}
