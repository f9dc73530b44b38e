import { slotsToWake, type DispatcherState, type SlotsToWake } from '@proctor/dispatch';

/** When idle slots are told that work is waiting, and which: as many as there is work for, as far as they are known. */
export class WorkSignals {
  private notifiedMs = -Infinity;

  /**
   * @param againMs after this time slots are woken in the place of those that were told and have not asked
   * @param send null stands for all slots of the architecture
   */
  constructor(
    private readonly againMs: number,
    private readonly send: (wanted: SlotsToWake[] | null) => void,
  ) {}

  /** It is not known which slots are idle. */
  notifyAll(now: number): void {
    this.notifiedMs = now;
    this.send(null);
  }

  notify(state: DispatcherState, now: number): void {
    this.notifiedMs = now;
    const wanted = slotsToWake(state, now);
    if (wanted?.length !== 0) this.send(wanted);
  }

  /** @param workWaiting runs became available */
  onTurnCommitted(state: DispatcherState, workWaiting: boolean, now: number): void {
    const isDue = state.idle.count > 0 && now >= this.notifiedMs + this.againMs;
    if (workWaiting || isDue) this.notify(state, now);
  }
}
