import { readFile } from 'node:fs/promises';

/** Settings of the kernel that forbid user namespaces, each with the value that does. */
const SETTINGS = [
  { name: 'kernel.unprivileged_userns_clone', bad: '0', good: '1' },
  { name: 'kernel.apparmor_restrict_unprivileged_userns', bad: '1', good: '0' },
  { name: 'user.max_user_namespaces', bad: '0', good: '15000' },
];

/** The bit of CAP_SYS_ADMIN in the bounding set of capabilities(7). */
const SYS_ADMIN = 1n << 21n;

const textOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

/**
 * The usual reason why sandboxes fail on this machine, with the command that helps, to append to an error; empty when
 * none is found.
 */
export async function sandboxHint(read = textOf, isRoot = process.getuid?.() === 0): Promise<string> {
  for (const { name, bad, good } of SETTINGS) {
    const value = await read(`/proc/sys/${name.replaceAll('.', '/')}`);
    if (value.trim() === bad) return `: sysctl -w ${name}=${good} (as root)`;
  }
  const [, bounds] = /^CapBnd:\s*([0-9a-f]+)$/m.exec(await read('/proc/self/status')) ?? [];
  if (isRoot && bounds !== undefined && (BigInt(`0x${bounds}`) & SYS_ADMIN) === 0n)
    return ': root of this container lacks CAP_SYS_ADMIN: start the container with --privileged';
  return '';
}
