import type { RunEvent } from './run-event';

/** A page of events: in the order of their ids, without the known ones. */
export interface EventPage {
  /** Events from this second on, and before `to` if it is set. */
  from: number;
  before: number | null;
  /** Only ids above this one. */
  after: number;
  knownIds: number[];
  limit: number;
}

/** The source of events: see `RunEvents` of the database. */
export interface EventSource {
  /**
   * A horizon, and then the lowest fact id of the events from a second on, null when none exist. From now on, every event
   * below the horizon is visible.
   */
  start(second: number): Promise<{ horizon: number; canRise: boolean; first: number | null }>;
  /** The events of one snapshot. */
  page(query: EventPage): Promise<RunEvent[]>;
  /** Allows the next horizon to be higher. */
  raise(): Promise<void>;
}

const PAGE_LENGTH = 1_000;

/**
 * How far a reader has read. Neither ids nor times are drawn in the order of the commits, so the position is a second below which
 * everything was read, and the ids of what was read above it. A reader that starts again with that second misses nothing.
 *
 * The events of a run come in their order. The run's row is locked from before an id is drawn until the commit, so a reader that
 * sees an event sees those of its run with lower ids; and each read is either one snapshot up to some id, or what is
 * below the horizon, where no event is added.
 */
export class EventWindow {
  private readonly times = new Map<number, number>();
  private isFull = false;

  /** @param readSecond everything below it counts as read */
  constructor(
    private readSecond: number,
    private readonly source: EventSource,
    private readonly pageLength = PAGE_LENGTH,
  ) {}

  get second(): number {
    return this.readSecond;
  }

  /** Whether the last pass left events for the next. */
  get hasMore(): boolean {
    return this.isFull;
  }

  hasRead({ factId, at }: Pick<RunEvent, 'factId' | 'at'>): boolean {
    return at.getTime() < this.readSecond * 1_000 || this.times.has(factId);
  }

  /** Unread events, in pages; after the last page, the second has risen to a horizon. */
  async *pass(): AsyncGenerator<RunEvent[]> {
    const { horizon, canRise, first } = await this.source.start(this.readSecond);
    this.isFull = false;
    if (first !== null) yield* this.pages(first - 1, Math.max(horizon, this.readSecond));
    if (horizon > this.readSecond) this.moveTo(horizon);
    if (this.times.size > 0 && canRise) await this.source.raise();
  }

  private async *pages(after: number, horizon: number): AsyncGenerator<RunEvent[]> {
    const query = { from: this.readSecond, knownIds: [...this.times.keys()], limit: this.pageLength };
    let page = await this.source.page({ ...query, after, before: null });
    this.isFull = page.length === this.pageLength;
    for (;;) {
      for (const { factId, at } of page) this.times.set(factId, at.getTime());
      if (page.length > 0) yield page;
      if (page.length < this.pageLength) return;
      page = await this.source.page({ ...query, after: page.at(-1)!.factId, before: horizon });
    }
  }

  private moveTo(horizon: number): void {
    this.readSecond = horizon;
    for (const [factId, atMs] of this.times) if (atMs < horizon * 1_000) this.times.delete(factId);
  }
}
