import type { Clock, WakeUp } from '@proctor/clock';

/**
 * The pauses of a worker's idle slots. They can all do the same, so one ask within a pause is enough for all: the slot that has
 * rested longest makes it. A slot that is woken asks out of turn.
 */
export class AskTurns {
  /** Those that have rested longest first. */
  private readonly resting: WakeUp[] = [];
  /** What a slot was told last. */
  private pauseMs = 0;
  private cancel = (): void => undefined;

  constructor(private readonly clock: Clock) {}

  /**
   * @param ms the pause that a slot was told by an answer that came now
   * @returns whether it ended since the slot's turn has come; false when the slot was woken
   */
  async rest(slot: WakeUp, ms: number): Promise<boolean> {
    this.resting.push(slot);
    this.pauseMs = ms;
    this.schedule();
    await slot.wait(null);
    const place = this.resting.indexOf(slot);
    if (place === -1) return true;
    this.resting.splice(place, 1);
    if (this.resting.length === 0) this.cancel();
    return false;
  }

  /** There is work of which no signal has told: the next slot asks at once. */
  wakeNext(): void {
    this.resting.shift()?.wake();
  }

  private schedule(): void {
    this.cancel();
    this.cancel = this.clock.after(this.pauseMs, () => {
      this.wakeNext();
      if (this.resting.length > 0) this.schedule();
    });
  }
}
