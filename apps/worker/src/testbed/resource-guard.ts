import { readFileSync, statfsSync } from 'node:fs';
import type { Clock } from '@proctor/clock';
import type { WorkerConfiguration } from '@proctor/config';
import { oneLine, type LeaseReply } from '@proctor/contracts';
import type { Log } from '@proctor/process';
import type { TestbedOffer } from '../slot/ports';

const MIB = 1024 * 1024;

/** The free resources of a machine: bytes, and the number of files that may still be created. */
export interface Reserves {
  disk: number;
  inodes: number;
  memory: number;
}

type ReserveLimits = Pick<
  WorkerConfiguration,
  'workPath' | 'freeDiskBytesMin' | 'freeInodesMin' | 'freeMemoryBytesMin' | 'resultsWaitingMax'
>;

/** The state of results on this machine. */
interface ResultsOnDisk {
  /** Why results cannot be saved; null: no reason is known. */
  problem(): string | null;
  /** Number of results that no dispatcher has answered yet. */
  waiting(): number;
}

/** A shortage that may prevent work → the line in the log when it is over. */
const LACKS = {
  disk: 'there is enough disk again',
  inodes: 'there are enough inodes again',
  memory: 'there is enough memory again',
  writing: 'results can be kept again',
  results: 'few enough results wait again',
} as const;

type Lacking = keyof typeof LACKS;
export const LACKING = Object.keys(LACKS) as Lacking[];

/** A reserve that is too small to take work. */
export interface Lack {
  of: Lacking;
  /** The reason in words. */
  why: string;
  /** How long it has been too small, since the first check that found it. */
  seconds: number;
}

const WHY_LENGTH_MAX = 500;

interface GuardParts {
  testbeds: TestbedOffer;
  /** Returns the current limits: they may change while the worker lives. */
  limits: () => ReserveLimits;
  results: ResultsOnDisk;
  clock: Clock;
  log: Log;
  /** Reads the reserves; by default those of the machine. */
  reserves?: (workPath: string) => Reserves;
}

/** Passes on another offer, but with no work while the machine has too little left: checked before each request. */
export class ResourceGuard implements TestbedOffer {
  /** When each lack was first found. */
  private readonly since = new Map<Lacking, number>();

  constructor(private readonly parts: GuardParts) {}

  currentOffer(arch: string): ReturnType<TestbedOffer['currentOffer']> {
    const offer = this.parts.testbeds.currentOffer(arch);
    const shortages = this.listLacks().map(({ why }) => why);
    const problem = offer.problem ?? shortages.join('; ');
    return problem === '' ? offer : { ...offer, problem };
  }

  requestTestbeds(arch: string, testbeds: LeaseReply['wanted']): void {
    this.parts.testbeds.requestTestbeds(arch, testbeds);
  }

  /** Why this machine takes no work; empty: it does. */
  listLacks(): Lack[] {
    const lacking = this.findLacks();
    const now = this.parts.clock.now();
    for (const reserve of [...this.since.keys()].filter((each) => !lacking.has(each))) {
      this.since.delete(reserve);
      this.parts.log.log(LACKS[reserve]);
    }
    return [...lacking].map(([reserve, why]) => {
      const since = this.since.get(reserve);
      if (since === undefined) {
        this.since.set(reserve, now);
        this.parts.log.warn(`no work is taken: ${why}`);
      }
      return { of: reserve, why, seconds: Math.round((now - (since ?? now)) / 1000) };
    });
  }

  /** Finds the resources that are too small, each with the reason. */
  private findLacks(): Map<Lacking, string> {
    const { resultsWaitingMax } = this.parts.limits();
    const shortages = this.findSmallReserves();
    const problem = this.parts.results.problem();
    if (problem !== null) shortages.set('writing', shorten(`results cannot be kept on disk: ${problem}`));
    const waiting = this.parts.results.waiting();
    if (waiting >= resultsWaitingMax) {
      shortages.set(
        'results',
        `${waiting} results wait for an answer, resultsWaitingMax is ${resultsWaitingMax}`,
      );
    }
    return shortages;
  }

  private findSmallReserves(): Map<Lacking, string> {
    const { workPath, freeDiskBytesMin, freeInodesMin, freeMemoryBytesMin } = this.parts.limits();
    const shortages = new Map<Lacking, string>();
    try {
      const { disk, inodes, memory } = (this.parts.reserves ?? reservesOf)(workPath);
      if (disk < freeDiskBytesMin) {
        const least = `freeDiskBytesMin (${mib(freeDiskBytesMin)})`;
        shortages.set('disk', shorten(`${mib(disk)} free on the disk of ${workPath}, less than ${least}`));
      }
      if (inodes < freeInodesMin) {
        const least = `freeInodesMin (${freeInodesMin})`;
        shortages.set(
          'inodes',
          shorten(`${inodes} inodes free on the disk of ${workPath}, less than ${least}`),
        );
      }
      if (memory < freeMemoryBytesMin) {
        const least = `freeMemoryBytesMin (${mib(freeMemoryBytesMin)})`;
        shortages.set('memory', `${mib(memory)} of memory free, less than ${least}`);
      }
    } catch (error) {
      shortages.set(
        'disk',
        shorten(`what is left on the disk of ${workPath} cannot be read: ${String(error)}`),
      );
    }
    return shortages;
  }
}

export function reservesOf(workPath: string): Reserves {
  const { bavail, bsize, files, ffree } = statfsSync(workPath);
  const available = /^MemAvailable: +(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1];
  // A file system that creates inodes as needed counts none.
  const inodes = files > 0 ? ffree : Infinity;
  return { disk: bavail * bsize, inodes, memory: Number(available) * 1024 };
}

function mib(bytes: number): string {
  return `${Math.floor(bytes / MIB)} MiB`;
}

function shorten(text: string): string {
  return oneLine(text, WHY_LENGTH_MAX);
}
