import { readFile, statfs } from 'node:fs/promises';
import { availableParallelism, loadavg, totalmem } from 'node:os';

/** How busy and how full this machine is. */
export interface MachineLoad {
  /** Mean number of running or waiting processes over 1, 5 and 15 minutes. */
  load: number[];
  processors: number;
  memoryBytes: number;
  /** Memory that new programs could use without swapping. */
  memoryAvailableBytes: number;
  /** Size of the file system that holds the worker's folder. */
  diskBytes: number;
  diskAvailableBytes: number;
}

export async function machineLoad(workPath: string): Promise<MachineLoad> {
  const [meminfo, disk] = await Promise.all([readFile('/proc/meminfo', 'utf8'), statfs(workPath)]);
  return {
    load: loadavg(),
    processors: availableParallelism(),
    memoryBytes: totalmem(),
    memoryAvailableBytes: Number(/^MemAvailable: +(\d+) kB/m.exec(meminfo)?.[1]) * 1024,
    diskBytes: disk.blocks * disk.bsize,
    diskAvailableBytes: disk.bavail * disk.bsize,
  };
}
