import { readFile } from 'node:fs/promises';

/** What the kernel has done for lack of memory. */
export interface MemoryKills {
  /** Processes that it has ended. */
  processes: number;
  /** How often that was because a group had used up what it may, not because the machine had nothing left. */
  atLimit: number;
}

/** On this machine, since it was started. */
export async function machineMemoryKills(): Promise<MemoryKills> {
  return killsIn(await readFile('/proc/vmstat', 'utf8'));
}

/** The counts in the text of /proc/vmstat or of a control group's memory.events; 0 where the kernel counts none. */
export function killsIn(text: string): MemoryKills {
  const count = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  return { processes: count('oom_kill'), atLimit: count('oom') };
}
