import type { LoggerService } from '@nestjs/common';
import type { DispatcherMessage, Journal, JournalPosition } from '@proctor/dispatch';

export interface CommittedWorkSettings {
  arrivalPollMs: number;
  /** The maximum number of runs, and of orders, that one turn ingests. */
  arrivalsPerTurnMax: number;
  /** Pause after rows could not be loaded, read or written. */
  reloadDelayMs: number;
}

/** Slots that request leases wait for the turn: during a burst a longer turn ingests fewer runs. */
const LONG_TURN_MS = 50;
/** The smallest pace, so that a burst is ingested even when turns are slow. */
const PACE_MIN = 1 / 16;

/** Reads the runs and orders that other processes have committed for a dispatcher: after a signal, and at each poll. */
export class CommittedWork {
  private ordersDueMs = -Infinity;
  private arrivalsDueMs = -Infinity;
  /** The place in the journal up to which memory has the runs. */
  private position: JournalPosition | undefined;
  /**
   * The part of `arrivalsPerTurnMax` that a turn ingests. A turn that fails halves it, since there may have been too
   * much in it.
   */
  private share = 1;
  /** The part of that for runs. A turn that made messages wait long halves it. */
  private pace = 1;

  /** @param settings returns the settings in use at the moment of the call */
  constructor(
    private readonly arch: string,
    private readonly journal: Pick<
      Journal,
      'arrivals' | 'orders' | 'restrictions' | 'listUnfinished' | 'workers'
    >,
    private readonly logger: Pick<LoggerService, 'warn'>,
    private readonly settings: () => CommittedWorkSettings,
  ) {}

  get dueMs(): number {
    return Math.min(this.ordersDueMs, this.arrivalsDueMs);
  }

  readOrdersSoon(): void {
    this.ordersDueMs = -Infinity;
  }

  readArrivalsSoon(): void {
    this.arrivalsDueMs = -Infinity;
  }

  /** The runs were loaded again. */
  onLoaded(position: JournalPosition): void {
    this.position = position;
  }

  /** A turn failed: read again after a pause, and less at a time, since these rows may be the reason. */
  readLater(now: number): void {
    const { arrivalPollMs, reloadDelayMs } = this.settings();
    this.share /= 2;
    this.ordersDueMs = this.arrivalsDueMs = now + Math.min(arrivalPollMs, reloadDelayMs);
  }

  /**
   * A turn was committed.
   * @param tookMs with the time to read the ingested rows
   * @param messages how many messages of others it handled
   */
  onTurnCommitted(tookMs: number, messages: number): void {
    this.share = Math.min(1, this.share * 2);
    const isLong = tookMs > LONG_TURN_MS && messages > 0;
    this.pace = isLong ? Math.max(PACE_MIN, this.pace / 2) : Math.min(1, this.pace * 2);
  }

  /**
   * Reads orders. Called before the arrivals are read, so that no run arrives whose cancellation was read as an order
   * before.
   * @param isWhole true: all waiting runs are in memory, so the runs that an order moves are too
   */
  async readOrders(now: number, isWhole: boolean): Promise<DispatcherMessage[]> {
    if (this.ordersDueMs > now) return [];
    this.ordersDueMs = now + this.settings().arrivalPollMs;
    return this.read('orders', now, async (limit) => {
      const orders = await this.journal.orders(this.arch, limit);
      if (orders.length === limit) this.readOrdersSoon();
      const moved = orders.flatMap((order) =>
        !isWhole && (order.kind === 'reprioritise' || order.kind === 'publish') ? [order.runId] : [],
      );
      const runs = moved.length > 0 ? await this.journal.listUnfinished(this.arch, moved) : [];
      const messages: DispatcherMessage[] = orders.length > 0 ? [{ kind: 'orders', orders, runs }] : [];
      if (orders.some(({ kind }) => kind === 'restrictions'))
        messages.push({ kind: 'restrictions', restrictions: await this.journal.restrictions(this.arch) });
      if (orders.some(({ kind }) => kind === 'register' || kind === 'revoke'))
        messages.push({ kind: 'workers', workers: await this.journal.workers() });
      return messages;
    });
  }

  async readArrivals(now: number): Promise<DispatcherMessage[]> {
    if (this.arrivalsDueMs > now) return [];
    this.arrivalsDueMs = now + this.settings().arrivalPollMs;
    return this.read('arrivals', now, async (most) => {
      const limit = Math.ceil(most * this.pace);
      const { runs, position, more } = await this.journal.arrivals(this.arch, limit, this.position);
      this.position = position;
      if (more) this.readArrivalsSoon();
      return runs.length > 0 ? [{ kind: 'arrivals', runs }] : [];
    });
  }

  private async read(
    what: string,
    now: number,
    messages: (limit: number) => Promise<DispatcherMessage[]>,
  ): Promise<DispatcherMessage[]> {
    try {
      return await messages(Math.max(1, Math.floor(this.settings().arrivalsPerTurnMax * this.share)));
    } catch (error) {
      this.logger.warn(`${what} could not be read: ${String(error)}`);
      this.readLater(now);
      return [];
    }
  }
}
