import { readFile } from 'node:fs/promises';

/** Processes of this machine that the kernel has ended for want of memory, since it was started. */
export async function machineMemoryKills(): Promise<number> {
  return killsIn(await readFile('/proc/vmstat', 'utf8'));
}

/** The count in the text of /proc/vmstat or of a control group's memory.events; 0 where the kernel counts none. */
export function killsIn(text: string): number {
  return Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0);
}
