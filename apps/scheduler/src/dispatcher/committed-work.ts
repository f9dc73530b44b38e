import type { LoggerService } from '@nestjs/common';
import type { DispatcherMessage, Journal, Seen } from '@proctor/dispatch';

export interface CommittedWorkSettings {
  arrivalPollMs: number;
  /** Runs, and orders, that one turn ingests. */
  arrivalsPerTurnMax: number;
  /** Wait after rows could not be loaded, read or written. */
  reloadDelayMs: number;
}

/** When slots ask for leases during a burst, this is what a turn may cost them. */
const LONG_TURN_MS = 50;
/** A burst is ingested at last, however slow the turns are. */
const PACE_MIN = 1 / 16;

/** What others have committed for a dispatcher: read when it is told to look, and now and then. */
export class CommittedWork {
  private ordersDueMs = -Infinity;
  private arrivalsDueMs = -Infinity;
  /** The runs that memory was given. */
  private seen: Seen | undefined;
  /** Of what a turn may ingest: halved by each that fails, since there may have been too much in it. */
  private share = 1;
  /** Of the runs among that: halved by each turn for which messages waited long. */
  private pace = 1;

  /** @param settings as they are at the moment */
  constructor(
    private readonly arch: string,
    private readonly journal: Pick<
      Journal,
      'arrivals' | 'orders' | 'restrictions' | 'unfinished' | 'workers'
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

  /** Memory was made of the rows again. */
  onLoaded(seen: Seen): void {
    this.seen = seen;
  }

  /** Something failed: not at once, and fewer at a time, since they may be what failed. */
  readLater(now: number): void {
    const { arrivalPollMs, reloadDelayMs } = this.settings();
    this.share /= 2;
    this.ordersDueMs = this.arrivalsDueMs = now + Math.min(arrivalPollMs, reloadDelayMs);
  }

  /**
   * A turn was committed.
   * @param tookMs with the reading of what it ingested
   * @param messages of others that it handled
   */
  onTurnCommitted(tookMs: number, messages: number): void {
    this.share = Math.min(1, this.share * 2);
    const isLong = tookMs > LONG_TURN_MS && messages > 0;
    this.pace = isLong ? Math.max(PACE_MIN, this.pace / 2) : Math.min(1, this.pace * 2);
  }

  /**
   * Before the arrivals, so that no run arrives whose cancellation was read as an order.
   * @param isWhole all runs that wait are in memory, so those that orders move are
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
      const runs = moved.length > 0 ? await this.journal.unfinished(this.arch, moved) : [];
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
      const { runs, seen, more } = await this.journal.arrivals(this.arch, limit, this.seen);
      this.seen = seen;
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
