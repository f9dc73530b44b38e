import { readFileSync } from 'node:fs';

/** A process that cannot be taken for a later one with the same pid, also after the machine was started again. */
export interface ProcessIdentity {
  pid: number;
  /** Clock ticks from the machine's boot to the start of the process. */
  startTime: string;
  /** Of the boot that `startTime` counts from. */
  bootId: string;
}

/** What /proc/PID/stat says that everybody may know. */
interface ProcessStatus {
  /** The name of the program, cut after 15 bytes. */
  name: string;
  parent: number;
  startTime: string;
}

/** null when no such process runs; a zombie does not. */
export function identify(pid: number): ProcessIdentity | null {
  const status = statusOf(pid);
  return status && { pid, startTime: status.startTime, bootId: bootId() };
}

export function isRunning(process: ProcessIdentity): boolean {
  const now = identify(process.pid);
  return now !== null && now.startTime === process.startTime && now.bootId === process.bootId;
}

/** null when no such process runs. */
export function statusOf(pid: number): ProcessStatus | null {
  const stat = readProc(pid, 'stat');
  if (stat === null) return null;
  // The name in parentheses may hold spaces and parentheses itself; the state is the first field after it.
  const [from, to] = [stat.indexOf('('), stat.lastIndexOf(')')];
  const fields = stat.slice(to + 2).split(' ');
  const [state, parent, startTime] = [fields[0], fields[1], fields[19]];
  if (startTime === undefined || state === 'Z' || state === 'X') return null;
  return { name: stat.slice(from + 1, to), parent: Number(parent), startTime };
}

function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

/** The arguments that a process was started with; empty when it does not run. */
export function commandLineOf(pid: number): string[] {
  return (readProc(pid, 'cmdline') ?? '').split('\0').filter((part) => part !== '');
}

/** An identity read back from a file; null for anything that is none. */
export function asIdentity(value: unknown): ProcessIdentity | null {
  const { pid, startTime, bootId: boot } = (value ?? {}) as Partial<Record<keyof ProcessIdentity, unknown>>;
  if (!Number.isInteger(pid) || typeof startTime !== 'string' || typeof boot !== 'string') return null;
  return { pid: pid as number, startTime, bootId: boot };
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
