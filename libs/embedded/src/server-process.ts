import { spawn } from 'node:child_process';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { ids, lastLines } from './command';
import { OwnedProcess } from './owned-process';
import type { SystemUser } from './command';
import { START_PATIENCE_MS } from './start-patience';
import { describeEnding } from './supervised';
import { until } from './until';

const LOG_BYTES_MAX = 10 * 1024 * 1024;

/**
 * Starts a server whose files only its user may read. The kernel sends the server a signal when this process ends in
 * any way; this process may have ended before that was set up. Arguments: our pid, the program, its own arguments.
 */
const WITH_US = 'umask 077; [ "$PPID" = "$0" ] || exit 1; exec "$@"';

interface ServerCommand {
  name: string;
  program: string;
  args: string[];
  user: SystemUser | null;
  folder: string;
  /** The signal for the end of this process, which stops the server in order; SIGTERM by default. */
  endSignal?: NodeJS.Signals;
  /** File for the server's output; a large one is renamed before a start. */
  logPath: string;
  /** Whether the server with this pid is ready. */
  isReady: (pid: number) => Promise<boolean>;
}

/**
 * Starts a server in its own session (Ctrl-C in the terminal reaches only us, and we stop it in order).
 * @throws Error with the last lines of its log, if it ends or is not ready in time
 */
export async function startServer(command: ServerCommand): Promise<OwnedProcess> {
  const { server, logFrom } = await spawnServer(command);
  const ending = server.ending.then(describeEnding, (error: Error) => error.message);
  const isDecided = async (): Promise<boolean> => server.hasEnded || (await command.isReady(server.pid));
  const inTime = await until(isDecided, START_PATIENCE_MS);
  if (inTime && !server.hasEnded) return server;
  const how = server.hasEnded ? await ending : `not ready after ${START_PATIENCE_MS / 1000} s`;
  server.kill('SIGKILL');
  const log = lastLines((await readFile(command.logPath)).subarray(logFrom).toString(), 5);
  throw new Error(`${command.name} did not start (${how}); the end of ${command.logPath}:\n${log}`);
}

/** @returns the server, and the byte of its log where this start begins */
async function spawnServer(command: ServerCommand): Promise<{ server: OwnedProcess; logFrom: number }> {
  await keepLogSmall(command.logPath);
  // A file, not a pipe: the server may outlive us and must not fail on its next line.
  const log = await open(command.logPath, 'a', 0o600);
  try {
    await log.chmod(0o600);
    const { size: logFrom } = await log.stat();
    const withUs = ['sh', '-c', WITH_US, String(process.pid), command.program, ...command.args];
    const { endSignal = 'SIGTERM' } = command;
    const child = spawn('setpriv', ['--pdeathsig', endSignal.replace('SIG', ''), ...withUs], {
      ...ids(command.user),
      cwd: command.folder,
      env: { PATH: process.env['PATH'], LC_ALL: 'C' },
      stdio: ['ignore', log.fd, log.fd],
      detached: true,
    });
    // Created before any await: Node.js reports in its next turn that a process could not be started.
    return { server: new OwnedProcess(child), logFrom };
  } finally {
    await log.close();
  }
}

async function keepLogSmall(path: string): Promise<void> {
  const size = await stat(path).then(
    (file) => file.size,
    () => 0,
  );
  if (size > LOG_BYTES_MAX) await rename(path, `${path}.1`);
}
