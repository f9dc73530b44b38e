import type { Clock, WakeUp } from '@proctor/clock';

/**
 * The pauses of a worker's idle slots. All can do the same work, so one request within a pause is enough: the slot that
 * has rested longest sends it. A slot that is woken sends one out of turn.
 */
export class AskTurns {
  /** Waiting slots; the one that has waited longest comes first. */
  private readonly resting: WakeUp[] = [];
  /** The pause of the last answer to a slot. */
  private pauseMs = 0;
  private cancel = (): void => undefined;

  constructor(private readonly clock: Clock) {}

  /**
   * @param ms the pause of an answer that has just arrived
   * @returns true when the slot's turn has come; false when the slot was woken
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

  /** There is work without a signal: the next slot asks at once. */
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
