import { slotsToWake, type DispatcherState, type SlotsToWake } from '@proctor/dispatch';

/**
 * Decides when and which idle slots are signalled that work waits: as many as there is work for, if they are known.
 */
export class WorkSignals {
  private notifiedMs = -Infinity;

  /**
   * @param againMs after this time other slots are signalled instead of those that have sent no request
   * @param send sends a signal to slots; null: to all slots of the architecture
   */
  constructor(
    private readonly againMs: number,
    private readonly send: (slots: SlotsToWake[] | null) => void,
  ) {}

  /** It is unknown which slots are idle. */
  notifyAll(now: number): void {
    this.notifiedMs = now;
    this.send(null);
  }

  notify(state: DispatcherState, now: number): void {
    this.notifiedMs = now;
    const slots = slotsToWake(state, now);
    if (slots?.length !== 0) this.send(slots);
  }

  /** @param workWaiting whether runs became available */
  onTurnCommitted(state: DispatcherState, workWaiting: boolean, now: number): void {
    const isDue = state.idle.count > 0 && now >= this.notifiedMs + this.againMs;
    if (workWaiting || isDue) this.notify(state, now);
  }
}
