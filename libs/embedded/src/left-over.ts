import { readFile } from 'node:fs/promises';
import { commandLineOf, identify, isRunning, type ProcessIdentity } from './process-identity';
import { until } from './until';

/**
 * The server that a pid file of an earlier run names, when it still runs and was started for `path` (a folder or file
 * that stands in its command line): a pid alone may meanwhile belong to another program.
 */
export async function findLeftOver(pidFile: string, path: string): Promise<ProcessIdentity | null> {
  const text = await readFile(pidFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const pid = Number.parseInt(text, 10);
  return pid > 0 && commandLineOf(pid).includes(path) ? identify(pid) : null;
}

/** Sends `signal`, and SIGKILL if the process still runs after `patienceMs`; resolves when it is gone. */
export async function endProcess(
  found: ProcessIdentity,
  signal: NodeJS.Signals,
  patienceMs: number,
): Promise<void> {
  for (const next of [signal, 'SIGKILL'] as const) {
    if (isRunning(found)) process.kill(found.pid, next);
    if (await until(() => !isRunning(found), patienceMs)) return;
  }
  throw new Error(`process ${found.pid} of an earlier run does not end`);
}
