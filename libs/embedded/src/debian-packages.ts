import { readdir } from 'node:fs/promises';
import { CommandFailed, runCommand } from './command';

/** What a worker needs to run autopkgtest in the backend `unshare`. */
export const WORKER_PACKAGES = ['autopkgtest', 'autodep8', 'mmdebstrap', 'uidmap', 'slirp4netns'];

/** What it needs for the backends that are quick to test. */
export const BACKEND_PACKAGES = ['schroot', 'lxc', 'rsync', 'podman', 'crun', 'arch-test'];

/** What it needs for all backends, and for foreign architectures. */
export const ACCEPTANCE_PACKAGES = [
  ...WORKER_PACKAGES,
  ...BACKEND_PACKAGES,
  'qemu-system-x86',
  'qemu-utils',
  'qemu-user-static',
];

const LOCK_TIMEOUT_S = 120;
/** Apt asks nothing and speaks English. */
export const nonInteractive = (): NodeJS.ProcessEnv => ({
  ...process.env,
  DEBIAN_FRONTEND: 'noninteractive',
  LC_ALL: 'C.UTF-8',
});

export interface PackagesOutcome {
  /** Packages that are missing still. */
  missing: string[];
  /** Packages that were installed now. */
  installed: string[];
  /** Why there are missing ones, with the one command to type; absent when there are none. */
  advice?: string;
}

/**
 * Installs the packages that the system lacks when we are root; otherwise says what to type. Never throws: Proctor
 * serves without them, only its worker does not.
 */
export async function ensureDebianPackages(
  names: string[] = WORKER_PACKAGES,
  onInstall?: (missing: string[]) => void,
): Promise<PackagesOutcome> {
  try {
    const missing = await missingPackages(names);
    if (missing.length === 0) return { missing, installed: [] };
    if (process.getuid?.() !== 0) return { missing, installed: [], advice: adviceFor(missing) };
    onInstall?.(missing);
    await install(missing);
    return { missing: [], installed: missing };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { missing: names, installed: [], advice: `${adviceFor(names)}\n(${reason})` };
  }
}

/** Which of the packages dpkg does not have installed. @throws CommandFailed where there is no dpkg */
export async function missingPackages(names: string[]): Promise<string[]> {
  const format = '${Package} ${db:Status-Status}\n';
  const text = await runCommand('dpkg-query', ['-W', '-f', format, ...names]).catch((error: unknown) => {
    // It ends with 1 when it does not know one of them, and still lists the others.
    if (error instanceof CommandFailed && error.output !== '') return error.output;
    throw error;
  });
  const installed = new Set(text.split('\n').filter((line) => line.endsWith(' installed')));
  return names.filter((name) => !installed.has(`${name} installed`));
}

export function adviceFor(packages: string[]): string {
  return (
    `missing Debian packages: ${packages.join(' ')}. As root, type:\n` +
    `  apt-get update && apt-get install --yes --no-install-recommends ${packages.join(' ')}`
  );
}

async function install(packages: string[]): Promise<void> {
  const lists = await readdir('/var/lib/apt/lists').catch(() => []);
  const hasLists = lists.some((name) => name.includes('_Packages'));
  if (hasLists) {
    try {
      return await aptInstall(packages);
    } catch (error) {
      // Lists that are too old name files that the mirror has no longer.
      if (!(error instanceof CommandFailed)) throw error;
    }
  }
  await apt(['update']);
  await aptInstall(packages);
}

async function aptInstall(packages: string[]): Promise<void> {
  await apt(['install', '--yes', '--no-remove', '--no-install-recommends', ...packages]);
}

/** Detached: dpkg should not be interrupted half-way by a Ctrl-C that is meant for us. */
async function apt(args: string[]): Promise<void> {
  const patience = ['-o', `DPkg::Lock::Timeout=${LOCK_TIMEOUT_S}`, '-o', 'Acquire::Retries=2'];
  await runCommand('apt-get', [...patience, ...args], { env: nonInteractive(), detached: true });
}
