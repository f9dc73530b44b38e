import { readFileSync, statfsSync } from 'node:fs';
import type { WorkerConfiguration } from '@proctor/config';
import type { LeaseReply } from '@proctor/contracts';
import type { TestbedOffer } from '../slot/ports';

const MIB = 1024 * 1024;

/** What a machine has left at this moment, in bytes. */
export interface Reserves {
  disk: number;
  memory: number;
}

export type ReserveLimits = Pick<WorkerConfiguration, 'workPath' | 'freeDiskBytesMin' | 'freeMemoryBytesMin'>;

/** Another offer, but no work while the machine has too little left: looked at before each ask. */
export class SelfProtection implements TestbedOffer {
  /** @param limits as they are at this moment: they may change while the worker lives */
  constructor(
    private readonly testbeds: TestbedOffer,
    private readonly limits: () => ReserveLimits,
    private readonly reserves: (workPath: string) => Reserves = reservesOf,
  ) {}

  offer(arch: string): ReturnType<TestbedOffer['offer']> {
    const offer = this.testbeds.offer(arch);
    const problem = offer.problem ?? this.problem();
    return problem === null ? offer : { ...offer, problem };
  }

  wanted(arch: string, testbeds: LeaseReply['wanted']): void {
    this.testbeds.wanted(arch, testbeds);
  }

  private problem(): string | null {
    const { workPath, freeDiskBytesMin, freeMemoryBytesMin } = this.limits();
    const { disk, memory } = this.reserves(workPath);
    const lacks = [
      ...(disk < freeDiskBytesMin
        ? [
            `${mib(disk)} free on the disk of ${workPath}, less than freeDiskBytesMin (${mib(freeDiskBytesMin)})`,
          ]
        : []),
      ...(memory < freeMemoryBytesMin
        ? [`${mib(memory)} of memory free, less than freeMemoryBytesMin (${mib(freeMemoryBytesMin)})`]
        : []),
    ];
    return lacks.join('; ').slice(0, 1000) || null;
  }
}

export function reservesOf(workPath: string): Reserves {
  const { bavail, bsize } = statfsSync(workPath);
  const available = /^MemAvailable: +(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1];
  return { disk: bavail * bsize, memory: Number(available) * 1024 };
}

function mib(bytes: number): string {
  return `${Math.floor(bytes / MIB)} MiB`;
}
