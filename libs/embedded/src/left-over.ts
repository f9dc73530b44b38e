import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { commandLineOf, identify, isRunning, type ProcessIdentity, statusOf } from './process-identity';
import { until } from './until';

/** How to recognize a server of an earlier run among all processes. */
export interface LeftOver {
  /** It works in this folder; the path may differ. */
  folder: string;
  /**
   * @param name of its program in the kernel
   * @param args its arguments, the program first
   */
  isServer: (name: string, args: string[]) => boolean;
}

/**
 * The processes of a server that work in a folder, parents first. Pid files are not used: the number may belong to
 * another process by now, and a process that is not in the file may hold the folder.
 */
export function findServers({ folder, isServer }: LeftOver): ProcessIdentity[] {
  const folderId = fileId(folder);
  if (folderId === null) return [];
  const servers = processes().flatMap((pid) => {
    const status = statusOf(pid);
    if (status === null || !isServer(status.name, commandLineOf(pid))) return [];
    const identity = worksIn(pid, folderId) ? identify(pid) : null;
    return identity ? [{ identity, parent: status.parent }] : [];
  });
  const isChild = ({ parent }: { parent: number }): boolean =>
    servers.some(({ identity }) => identity.pid === parent);
  return [...servers.filter((each) => !isChild(each)), ...servers.filter(isChild)].map(
    ({ identity }) => identity,
  );
}

/** Sends `signal`, and SIGKILL if the process still runs after `patienceMs`; resolves when it has ended. */
export async function stopProcess(
  identity: ProcessIdentity,
  signal: NodeJS.Signals,
  patienceMs: number,
): Promise<void> {
  for (const next of [signal, 'SIGKILL'] as const) {
    if (isRunning(identity)) process.kill(identity.pid, next);
    if (await until(() => !isRunning(identity), patienceMs)) return;
  }
  throw new Error(`process ${identity.pid} of an earlier run does not end`);
}

function processes(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

/** If we may not see its folder, for example root in a container, its arguments name it. */
function worksIn(pid: number, folder: string): boolean {
  const at = fileId(`/proc/${pid}/cwd`);
  if (at !== null) return at === folder;
  return commandLineOf(pid).some((arg) => fileId(arg) === folder || fileId(dirname(arg)) === folder);
}

/** Whether this user may see where a process works. */
export function isVisible(pid: number): boolean {
  try {
    readlinkSync(`/proc/${pid}/cwd`);
    return true;
  } catch {
    return false;
  }
}

/** The identity of the file at a path, independent of its name; null when this user can see none. */
function fileId(path: string): string | null {
  if (!path.startsWith('/')) return null;
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}
