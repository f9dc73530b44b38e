import { readFileSync } from 'node:fs';

/** The identity of a process, also if a later process has the same pid, even after a reboot. */
export interface ProcessIdentity {
  pid: number;
  /** Clock ticks from the machine's boot to the start of the process. */
  startTime: string;
  /** Id of the boot from which `startTime` counts. */
  bootId: string;
}

/** The public fields of /proc/PID/stat. */
interface ProcessStatus {
  /** The name of the program, cut after 15 bytes. */
  name: string;
  parent: number;
  startTime: string;
}

/** Null when no such process runs; a zombie does not run. */
export function identify(pid: number): ProcessIdentity | null {
  const status = statusOf(pid);
  return status && { pid, startTime: status.startTime, bootId: bootId() };
}

export function isRunning(process: ProcessIdentity): boolean {
  const now = identify(process.pid);
  return now !== null && now.startTime === process.startTime && now.bootId === process.bootId;
}

/** Null when no such process runs. */
export function statusOf(pid: number): ProcessStatus | null {
  const stat = readProc(pid, 'stat');
  if (stat === null) return null;
  // The name in parentheses may itself have spaces and parentheses; the state is the first field after it.
  const [from, to] = [stat.indexOf('('), stat.lastIndexOf(')')];
  const fields = stat.slice(to + 2).split(' ');
  const [state, parent, startTime] = [fields[0], fields[1], fields[19]];
  if (startTime === undefined || state === 'Z' || state === 'X') return null;
  return { name: stat.slice(from + 1, to), parent: Number(parent), startTime };
}

function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

/** The arguments of a process; empty when it does not run. */
export function commandLineOf(pid: number): string[] {
  return (readProc(pid, 'cmdline') ?? '').split('\0').filter((part) => part !== '');
}

/** An identity from a file; null when it is invalid. */
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
