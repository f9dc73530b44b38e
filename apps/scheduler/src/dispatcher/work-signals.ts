import { slotsToWake, type DispatcherState, type SlotsToWake } from '@proctor/dispatch';

/**
 * Decides when idle slots are signalled that work waits, and which: as many as there is work for, as far as they are
 * known.
 */
export class WorkSignals {
  private notifiedMs = -Infinity;

  /**
   * @param againMs after this time other slots are signalled in place of those that have not asked
   * @param send null: all slots of the architecture
   */
  constructor(
    private readonly againMs: number,
    private readonly send: (slots: SlotsToWake[] | null) => void,
  ) {}

  /** It is not known which slots are idle. */
  notifyAll(now: number): void {
    this.notifiedMs = now;
    this.send(null);
  }

  notify(state: DispatcherState, now: number): void {
    this.notifiedMs = now;
    const slots = slotsToWake(state, now);
    if (slots?.length !== 0) this.send(slots);
  }

  /** @param workWaiting runs became available */
  onTurnCommitted(state: DispatcherState, workWaiting: boolean, now: number): void {
    const isDue = state.idle.count > 0 && now >= this.notifiedMs + this.againMs;
    if (workWaiting || isDue) this.notify(state, now);
  }
}
