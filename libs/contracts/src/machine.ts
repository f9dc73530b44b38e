import { IsWholeFrom } from './whole-number';

/** The highest values that a worker may report: the rows have room for them. */
export const LOAD_PERCENT_MAX = 1_000_000;
export const FREE_DISK_MIB_MAX = 2_000_000_000;

/** How busy the machine of a worker is, and how much room its disk has. */
export class MachineState {
  /** Mean load of the last minute by processor: at 100 each processor is busy. */
  @IsWholeFrom(0, LOAD_PERCENT_MAX)
  loadPercent: number;

  /** MiB that are free in the file system of the work folder. */
  @IsWholeFrom(0, FREE_DISK_MIB_MAX)
  freeDiskMib: number;

  /** With less than this the worker accepts no work. */
  @IsWholeFrom(0, FREE_DISK_MIB_MAX)
  freeDiskMibMin: number;
}
