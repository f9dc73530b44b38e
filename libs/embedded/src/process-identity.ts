import { readFileSync } from 'node:fs';

/** A process that cannot be taken for a later one with the same pid. */
export interface ProcessIdentity {
  pid: number;
  /** Clock ticks from the machine's boot to the start of the process. */
  startTime: string;
}

/** null when no such process runs; a zombie does not. */
export function identify(pid: number): ProcessIdentity | null {
  const stat = readProc(pid, 'stat');
  if (stat === null) return null;
  // The name in parentheses may hold spaces and parentheses itself; the state is the first field after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTime] = [fields[0], fields[19]];
  return startTime === undefined || state === 'Z' ? null : { pid, startTime };
}

export function isRunning(process: ProcessIdentity): boolean {
  return identify(process.pid)?.startTime === process.startTime;
}

/** The arguments that a process was started with; empty when it does not run. */
export function commandLineOf(pid: number): string[] {
  return (readProc(pid, 'cmdline') ?? '').split('\0').filter((part) => part !== '');
}

/** An identity read back from a file; null for anything that is none. */
export function asIdentity(value: unknown): ProcessIdentity | null {
  const { pid, startTime } = (value ?? {}) as Partial<ProcessIdentity>;
  return Number.isInteger(pid) && typeof startTime === 'string' ? { pid: pid as number, startTime } : null;
}

function readProc(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch (error) {
    // ESRCH: it ended between opening and reading.
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}
