import { availableParallelism, loadavg } from 'node:os';
import type { WorkerConfiguration } from '@proctor/config';
import { FREE_DISK_MIB_MAX, LOAD_PERCENT_MAX, type MachineState } from '@proctor/contracts';
import { reservesOf } from './resource-guard';

const MIB = 1024 * 1024;

/** The parts of a state as the machine has them: the load of the last minute, free bytes. */
interface Measured {
  load: number;
  processors: number;
  disk: number;
}

/** The present state of this machine; undefined if its disk cannot be read. */
export function findMachineState({
  workPath,
  freeDiskBytesMin,
}: Pick<WorkerConfiguration, 'workPath' | 'freeDiskBytesMin'>): MachineState | undefined {
  try {
    const { disk } = reservesOf(workPath);
    const [load = 0] = loadavg();
    return machineState({ load, processors: availableParallelism(), disk }, freeDiskBytesMin);
  } catch {
    return undefined;
  }
}

/** A state within the limits of a message. */
export function machineState({ load, processors, disk }: Measured, diskMin: number): MachineState {
  return {
    loadPercent: Math.min(LOAD_PERCENT_MAX, Math.round((load / processors) * 100)),
    freeDiskMib: wholeMib(disk),
    freeDiskMibMin: wholeMib(diskMin),
  };
}

function wholeMib(bytes: number): number {
  return Math.min(FREE_DISK_MIB_MAX, Math.floor(bytes / MIB));
}
