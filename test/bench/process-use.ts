import { readFile, writeFile } from 'node:fs/promises';

/** Use of a process from Linux: the ticks of /proc are hundredths of a second on every machine of Debian. */
const TICK_MS = 10;

/** Milliseconds of processor time that it has used so far. */
export async function processorMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** MiB that are resident. */
export async function residentMiB(pid: number): Promise<number> {
  return kibibytes(pid, 'VmRSS');
}

/** MiB that were resident at most since `forgetPeak`. */
export async function peakMiB(pid: number): Promise<number> {
  return kibibytes(pid, 'VmHWM');
}

export async function forgetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5');
}

async function kibibytes(pid: number, field: string): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  const [, value] = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text) ?? [];
  return Number(value) / 1024;
}
