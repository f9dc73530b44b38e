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
 * Builds a command that first runs `script` and then executes its further arguments. Both run as root of new user,
 * mount, control group and host name namespaces in the sandbox. `args` are the arguments of the script, from $1 on; the
 * script must `shift` them. This root has no rights over the network.
 */
export function rootedCommand(script: string, args: string[]): string[] {
  return ['unshare', '--user', '--map-auto', '--map-root-user', ...surroundedCommand(script, args).slice(1)];
}

/** Builds the same command for a sandbox that runs as root already (`asRoot`) and may have its own network. */
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
