import type { SlotIdentity } from '@proctor/contracts';

const WINDOW_MS = 10_000;
/** More than a slot can begin, and hand back with growing rests, in that time. */
const GRANTS_MAX = 8;

/** How often each slot is granted something, whatever becomes of the grants. */
export class GrantRate {
  private readonly times = new Map<string, number[]>();

  /** @returns whether the slot has not been granted more than it could make anything of */
  granted({ worker, incarnation, slot }: SlotIdentity, arch: string, now: number): boolean {
    const key = `${worker} ${incarnation} ${slot} ${arch}`;
    const recent = (this.times.get(key) ?? []).filter((time) => time > now - WINDOW_MS);
    recent.push(now);
    this.times.set(key, recent);
    return recent.length <= GRANTS_MAX;
  }
}
