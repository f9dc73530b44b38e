import { readdir } from 'node:fs/promises';
import { CommandFailed, runCommand } from './command';

/** The packages that a worker needs for the backend `unshare`. */
export const WORKER_PACKAGES = ['autopkgtest', 'autodep8', 'mmdebstrap', 'uidmap', 'slirp4netns'];

/** The further packages for the backends that are quick to test. */
export const BACKEND_PACKAGES = ['schroot', 'lxc', 'rsync', 'podman', 'crun', 'arch-test'];

/** The packages for all backends and for foreign architectures. */
export const ACCEPTANCE_PACKAGES = [
  ...WORKER_PACKAGES,
  ...BACKEND_PACKAGES,
  'qemu-system-x86',
  'qemu-utils',
  'qemu-user-static',
];

const LOCK_TIMEOUT_S = 120;
/** Apt asks no questions and writes English. */
export const nonInteractive = (): NodeJS.ProcessEnv => ({
  ...process.env,
  DEBIAN_FRONTEND: 'noninteractive',
  LC_ALL: 'C.UTF-8',
});

export interface PackagesOutcome {
  /** Packages that are still missing. */
  missing: string[];
  /** Packages that were installed now. */
  installed: string[];
  /** Why packages are missing, with the one command to type; absent when none is. */
  advice?: string;
}

/**
 * Installs missing packages as root; for other users returns the command to type. Never throws: without the packages
 * only the worker does not work.
 */
export async function installDebianPackages(
  names: string[] = WORKER_PACKAGES,
  onInstall?: (missing: string[]) => void,
  onProgress?: Progress,
): Promise<PackagesOutcome> {
  try {
    const missing = await missingPackages(names);
    if (missing.length === 0) return { missing, installed: [] };
    if (process.getuid?.() !== 0) return { missing, installed: [], advice: adviceFor(missing) };
    onInstall?.(missing);
    await install(missing, onProgress);
    return { missing: [], installed: missing };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { missing: names, installed: [], advice: `${adviceFor(names)}\n(${reason})` };
  }
}

/** The packages that are not installed. @throws CommandFailed without dpkg */
async function missingPackages(names: string[]): Promise<string[]> {
  const format = '${Package} ${db:Status-Status}\n';
  const text = await runCommand('dpkg-query', ['-W', '-f', format, ...names]).catch((error: unknown) => {
    // Exit code 1: it does not know one of them, but still lists the others.
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

/** Called with apt's progress in percent, and what it does. */
type Progress = (percent: number, doing: string) => void;

async function install(packages: string[], onProgress?: Progress): Promise<void> {
  const lists = await readdir('/var/lib/apt/lists').catch(() => []);
  const hasLists = lists.some((name) => name.includes('_Packages'));
  if (hasLists) {
    try {
      return await aptInstall(packages, onProgress);
    } catch (error) {
      // Old lists name files that the mirror no longer has.
      if (!(error instanceof CommandFailed)) throw error;
    }
  }
  const unreachable = await updateLists();
  try {
    await aptInstall(packages, onProgress);
  } catch (error) {
    // Unknown packages are only the consequence.
    throw unreachable ?? error;
  }
}

/** Updates apt's lists. A failed source may not be the one of the packages. @returns which one failed, and why */
async function updateLists(): Promise<Error | null> {
  try {
    await apt(['-o', 'APT::Update::Error-Mode=any', 'update']);
    return null;
  } catch (error) {
    return explainMirror(error);
  }
}

/** Explains apt's failure to read its sources; other errors, for example a running second apt, stay unchanged. */
export function explainMirror(error: unknown): Error {
  const failure = error instanceof Error ? error : new Error(String(error));
  const output = error instanceof CommandFailed ? error.output : '';
  const line = output.split('\n').find((each) => each.startsWith('E: Failed to fetch'));
  if (line === undefined) return failure;
  const what = line.slice('E: '.length);
  return new Error(`Debian's mirror cannot be reached (see /etc/apt/sources.list): ${what}`, {
    cause: error,
  });
}

async function aptInstall(packages: string[], onProgress?: Progress): Promise<void> {
  const statusOptions = onProgress === undefined ? [] : ['-o', 'APT::Status-Fd=1'];
  const args = [...statusOptions, 'install', '--yes', '--no-remove', '--no-install-recommends', ...packages];
  await apt(args, onProgress);
}

/** Detached: a Ctrl-C for us must not interrupt dpkg. */
async function apt(args: string[], onProgress?: Progress): Promise<void> {
  const patience = ['-o', `DPkg::Lock::Timeout=${LOCK_TIMEOUT_S}`, '-o', 'Acquire::Retries=2'];
  const onLine = (line: string): void => reportProgress(line, onProgress);
  await runCommand('apt-get', [...patience, ...args], { env: nonInteractive(), detached: true, onLine });
}

/** Parses a line of apt's Status-Fd: `dlstatus:3:41.5:Retrieving file 3 of 7`. Unpacking starts at 0 again. */
function reportProgress(line: string, onProgress?: Progress): void {
  const [, kind, percent, doing] = /^(dlstatus|pmstatus):[^:]*:([\d.]+):(.+)$/.exec(line) ?? [];
  if (kind === undefined || !onProgress) return;
  // The first half is downloading, the second unpacking.
  onProgress(Number(percent) / 2 + (kind === 'pmstatus' ? 50 : 0), doing!);
}
