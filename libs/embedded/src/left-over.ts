import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { commandLineOf, identify, isRunning, type ProcessIdentity, statusOf } from './process-identity';
import { until } from './until';

/** How a server of an earlier run is recognized among all processes. */
export interface LeftOver {
  /** It works in this folder, by whatever path. */
  folder: string;
  /** @param name of its program, as the kernel knows it @param args what it was started with, the program first */
  isServer: (name: string, args: string[]) => boolean;
}

/**
 * The processes of a server that work in a folder, those first that have started the others. No pid file is asked: its number may be
 * another process's by now, and a process that the file does not name may hold the folder.
 */
export function findServers({ folder, isServer }: LeftOver): ProcessIdentity[] {
  const wanted = fileId(folder);
  if (wanted === null) return [];
  const servers = processes().flatMap((pid) => {
    const status = statusOf(pid);
    if (status === null || !isServer(status.name, commandLineOf(pid))) return [];
    const identity = worksIn(pid, wanted) ? identify(pid) : null;
    return identity ? [{ identity, parent: status.parent }] : [];
  });
  const isChild = ({ parent }: { parent: number }): boolean =>
    servers.some(({ identity }) => identity.pid === parent);
  return [...servers.filter((each) => !isChild(each)), ...servers.filter(isChild)].map(
    ({ identity }) => identity,
  );
}

/** Sends `signal`, and SIGKILL if the process still runs after `patienceMs`; resolves when it is gone. */
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

/** Where its folder is not ours to see, as for root in a container, its arguments name it. */
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

/** Of what is at a path, by whatever name; null when there is nothing that this user may see. */
function fileId(path: string): string | null {
  if (!path.startsWith('/')) return null;
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}
