import { slotsToWake, type DispatcherState, type SlotsToWake } from '@proctor/dispatch';

/** When idle slots are told that work is waiting, and which: as many as there is work for, as far as they are known. */
export class WorkSignals {
  private toldMs = -Infinity;

  /**
   * @param againMs after this time slots are woken in the place of those that were told and have not asked
   * @param send null stands for all slots of the architecture
   */
  constructor(
    private readonly againMs: number,
    private readonly send: (wanted: SlotsToWake[] | null) => void,
  ) {}

  /** It is not known which slots are idle. */
  tellAll(now: number): void {
    this.toldMs = now;
    this.send(null);
  }

  tell(state: DispatcherState, now: number): void {
    this.toldMs = now;
    const wanted = slotsToWake(state, now);
    if (wanted?.length !== 0) this.send(wanted);
  }

  /** @param workWaiting runs became available */
  turnCommitted(state: DispatcherState, workWaiting: boolean, now: number): void {
    const isDue = state.idle.count > 0 && now >= this.toldMs + this.againMs;
    if (workWaiting || isDue) this.tell(state, now);
  }
}
