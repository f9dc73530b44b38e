import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

const LOOK_EVERY_MS = 5_000;
/** A process that has just started is still filling its caches. */
const WARM_AFTER_MS = 60_000;
/** Shorter lives say nothing about a slope. */
const JUDGED_LIFE_MS = 300_000;
export const SLOPE_MAX_MIB_PER_MINUTE = 5;

interface Sample {
  ageMs: number;
  mib: number;
}

/** A process that a soak watches. */
interface Watched {
  name: string;
  pid: number | null;
}

export interface MemorySlope {
  name: string;
  /** The length of its longest life, in minutes. */
  lifeMinutes: number;
  mibMax: number;
  /** null when no life was long enough. */
  mibPerMinute: number | null;
}

/** The resident memory of each process over each of its lives. */
export class Memory {
  private readonly lives = new Map<string, { name: string; beganMs: number; samples: Sample[] }>();
  private readonly abort = new AbortController();

  constructor(private readonly watched: () => Watched[]) {}

  async watch(): Promise<void> {
    const { signal } = this.abort;
    while (!signal.aborted) {
      await Promise.all(this.watched().map((each) => this.look(each)));
      await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  stop(): void {
    this.abort.abort();
  }

  /** How memory grew in the longest life of each process. */
  slopes(): MemorySlope[] {
    const names = [...new Set([...this.lives.values()].map(({ name }) => name))].sort();
    return names.map((name) => {
      const lives = [...this.lives.values()].filter((life) => life.name === name);
      const longest = lives.reduce((a, b) => (lengthOf(b.samples) > lengthOf(a.samples) ? b : a)).samples;
      const mibMax = Math.max(...lives.flatMap(({ samples }) => samples.map(({ mib }) => mib)));
      const warm = longest.filter(({ ageMs }) => ageMs >= WARM_AFTER_MS);
      const mibPerMinute = lengthOf(longest) >= JUDGED_LIFE_MS ? slopeOf(warm) : null;
      return { name, lifeMinutes: lengthOf(longest) / 60_000, mibMax, mibPerMinute };
    });
  }

  get violations(): string[] {
    return this.slopes().flatMap(({ name, mibPerMinute }) =>
      mibPerMinute !== null && mibPerMinute > SLOPE_MAX_MIB_PER_MINUTE
        ? [`${name}: its memory grew by ${mibPerMinute.toFixed(1)} MiB a minute`]
        : [],
    );
  }

  private async look({ name, pid }: Watched): Promise<void> {
    if (pid === null) return;
    const mib = await residentMib(pid);
    if (mib === null) return;
    const life = this.lives.get(`${name} ${pid}`) ?? { name, beganMs: performance.now(), samples: [] };
    this.lives.set(`${name} ${pid}`, life);
    life.samples.push({ ageMs: performance.now() - life.beganMs, mib });
  }
}

/** null when it has ended. */
async function residentMib(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return '';
    throw error;
  });
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(status);
  return match ? Number(match[1]) / 1024 : null;
}

function lengthOf(samples: Sample[]): number {
  return samples.at(-1)?.ageMs ?? 0;
}

/** The slope of the samples by least squares, MiB a minute. */
function slopeOf(samples: Sample[]): number {
  const mean = (numbers: number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
  const minutes = samples.map(({ ageMs }) => ageMs / 60_000);
  const minutesMean = mean(minutes);
  const mibMean = mean(samples.map(({ mib }) => mib));
  const spread = minutes.reduce((sum, each) => sum + (each - minutesMean) ** 2, 0);
  const together = samples.reduce(
    (sum, { mib }, place) => sum + (minutes[place]! - minutesMean) * (mib - mibMean),
    0,
  );
  return together / spread;
}
