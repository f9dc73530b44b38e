import type { LoadedRows, RunOutcome } from '@proctor/dispatch';
import type { RunRow } from './memory-rows';

interface UsedRow {
  slotMs: number;
  publicSlotMs: number;
  atMs: number;
}

/** What a moving average takes of each new value. */
const NEWEST_WEIGHT = 0.3;

/** How long runs took and who used how much slot time, in memory. */
export class MemoryLearning {
  /** Architecture → package → seconds. */
  private seconds = new Map<string, Map<string, number>>();
  /** Architecture → requestor. */
  private used = new Map<string, Map<string, UsedRow>>();

  constructor(private readonly nowMs: () => number) {}

  /** @returns what brings the rows of now back */
  copy(): () => void {
    const { seconds, used } = structuredClone({ seconds: this.seconds, used: this.used });
    return () => Object.assign(this, { seconds, used });
  }

  /** Learns the duration of a public run from its result. */
  learn({ request }: RunRow, { durationSeconds }: RunOutcome): void {
    if (durationSeconds === null || request.isPrivate) return;
    const secondsByPackage = this.seconds.get(request.arch) ?? new Map<string, number>();
    const old = secondsByPackage.get(request.package) ?? durationSeconds;
    secondsByPackage.set(request.package, old + (durationSeconds - old) * NEWEST_WEIGHT);
    this.seconds.set(request.arch, secondsByPackage);
  }

  durations(arch: string): LoadedRows['durations'] {
    return [...(this.seconds.get(arch) ?? [])]
      .map(([name, seconds]) => ({ package: name, durationMs: seconds * 1000 }))
      .sort((a, b) => (a.package < b.package ? -1 : 1));
  }

  use(arch: string, { requestor, slotMs, publicSlotMs }: LoadedRows['usage'][number]): void {
    const used = this.used.get(arch) ?? new Map<string, UsedRow>();
    if (slotMs > 0) used.set(requestor, { slotMs, publicSlotMs, atMs: this.nowMs() });
    else used.delete(requestor);
    this.used.set(arch, used);
  }

  usage(arch: string, halfLifeMs: number): LoadedRows['usage'] {
    return [...(this.used.get(arch) ?? [])]
      .map(([requestor, { slotMs, publicSlotMs, atMs }]) => {
        const remainder = 0.5 ** (Math.max(0, this.nowMs() - atMs) / halfLifeMs);
        return { requestor, slotMs: slotMs * remainder, publicSlotMs: publicSlotMs * remainder };
      })
      .sort((a, b) => (a.requestor < b.requestor ? -1 : 1));
  }
}
