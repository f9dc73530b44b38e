import type { Processes, World } from './processes';

/** What calamities of every kind do. */
export abstract class CalamityKind {
  constructor(
    protected readonly world: World,
    protected readonly processes: Processes,
  ) {}

  /** One of these happens at a time. */
  abstract get all(): (() => void)[];

  protected note(fault: string, place = ''): void {
    this.world.database.faults.note(fault);
    this.world.story.note(`FAULT: ${fault} ${place}`);
  }

  protected after(ms: number, action: () => void): void {
    this.world.database.clock.after(ms, action);
  }

  /** Milliseconds. */
  protected between(min: number, max: number): number {
    return this.world.database.random.between(min, max);
  }

  /** The part is broken from now on and is mended after `ms`: no architecture has to be served meanwhile for want of it. */
  protected breaks(part: string, ms: number, mend: () => void): void {
    const { liveness } = this.world;
    liveness.broken(part);
    this.after(ms, () => {
      mend();
      liveness.whole(part);
    });
  }
}
