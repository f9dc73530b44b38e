import { readFile } from 'node:fs/promises';

/** How often the kernel ended processes for lack of memory. */
export interface MemoryKills {
  /** Ended processes. */
  processes: number;
  /** How often a group had reached its limit, rather than the machine its memory. */
  atLimit: number;
}

/** Counts the processes that the kernel of this machine has ended for lack of memory since it was booted. */
export async function machineMemoryKills(): Promise<MemoryKills> {
  return killsIn(await readFile('/proc/vmstat', 'utf8'));
}

/** The counts in the text of /proc/vmstat or of a control group's memory.events; 0 where the kernel has none. */
export function killsIn(text: string): MemoryKills {
  const count = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  return { processes: count('oom_kill'), atLimit: count('oom') };
}
