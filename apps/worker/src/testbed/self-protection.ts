import { readFileSync, statfsSync } from 'node:fs';
import type { Clock } from '@proctor/clock';
import type { WorkerConfiguration } from '@proctor/config';
import { oneLine, type LeaseReply } from '@proctor/contracts';
import type { SlotLog, TestbedOffer } from '../slot/ports';

const MIB = 1024 * 1024;

/** What a machine has left at this moment, in bytes. */
export interface Reserves {
  disk: number;
  memory: number;
}

export type ReserveLimits = Pick<WorkerConfiguration, 'workPath' | 'freeDiskBytesMin' | 'freeMemoryBytesMin'>;

/** A reserve of which too little is left to take work. */
export interface Lack {
  of: keyof Reserves;
  /** For people. */
  why: string;
  /** How long it has been so, as far as anybody has looked. */
  seconds: number;
}

const WHY_LENGTH_MAX = 500;

/** Another offer, but no work while the machine has too little left: looked at before each ask. */
export class SelfProtection implements TestbedOffer {
  /** When each reserve that is too small was first seen to be. */
  private readonly since = new Map<keyof Reserves, number>();

  /** @param limits as they are at this moment: they may change while the worker lives */
  constructor(
    private readonly testbeds: TestbedOffer,
    private readonly limits: () => ReserveLimits,
    private readonly clock: Clock,
    private readonly log: SlotLog,
    private readonly reserves: (workPath: string) => Reserves = reservesOf,
  ) {}

  offer(arch: string): ReturnType<TestbedOffer['offer']> {
    const offer = this.testbeds.offer(arch);
    const lacks = this.lacks().map(({ why }) => why);
    const problem = offer.problem ?? lacks.join('; ');
    return problem === '' ? offer : { ...offer, problem };
  }

  wanted(arch: string, testbeds: LeaseReply['wanted']): void {
    this.testbeds.wanted(arch, testbeds);
  }

  /** What keeps this machine from taking work; empty when there is enough of everything. */
  lacks(): Lack[] {
    const found = this.look();
    const now = this.clock.now();
    for (const reserve of [...this.since.keys()].filter((each) => !found.has(each))) {
      this.since.delete(reserve);
      this.log.log(`there is enough ${reserve} again`);
    }
    return [...found].map(([reserve, why]) => {
      const since = this.since.get(reserve);
      if (since === undefined) {
        this.since.set(reserve, now);
        this.log.warn(`no work is taken: ${why}`);
      }
      return { of: reserve, why, seconds: Math.round((now - (since ?? now)) / 1000) };
    });
  }

  /** Reserve → why it is too small. */
  private look(): Map<keyof Reserves, string> {
    const { workPath, freeDiskBytesMin, freeMemoryBytesMin } = this.limits();
    const lacks = new Map<keyof Reserves, string>();
    try {
      const { disk, memory } = this.reserves(workPath);
      if (disk < freeDiskBytesMin) {
        const least = `freeDiskBytesMin (${mib(freeDiskBytesMin)})`;
        lacks.set('disk', shortened(`${mib(disk)} free on the disk of ${workPath}, less than ${least}`));
      }
      if (memory < freeMemoryBytesMin) {
        const least = `freeMemoryBytesMin (${mib(freeMemoryBytesMin)})`;
        lacks.set('memory', `${mib(memory)} of memory free, less than ${least}`);
      }
    } catch (error) {
      lacks.set(
        'disk',
        shortened(`what is left on the disk of ${workPath} cannot be read: ${String(error)}`),
      );
    }
    return lacks;
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

function shortened(text: string): string {
  return oneLine(text, WHY_LENGTH_MAX);
}
