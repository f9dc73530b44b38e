import type { RunEvent } from './run-event';

/** What is asked for at a time: events by their ids, those that are known left out. */
export interface EventPage {
  /** Of a time from this second on, and before that one, where there is one. */
  from: number;
  before: number | null;
  /** Above this id. */
  after: number;
  known: number[];
  limit: number;
}

/** Where events are read: see `RunEvents` of the database. */
export interface EventSource {
  /**
   * A horizon, and then the lowest fact id of the events from a second on, null when there are none. Below the horizon every
   * event that will ever be is visible from now on.
   */
  start(second: number): Promise<{ horizon: number; canRise: boolean; first: number | null }>;
  /** As they are in one snapshot. */
  page(asked: EventPage): Promise<RunEvent[]>;
  /** Lets the next horizon be higher. */
  raise(): Promise<void>;
}

const PAGE_LENGTH = 1_000;

/**
 * How far a reader has read. Ids are not drawn in the order of the commits, and neither are times; so it is a second below which
 * everything was read, and the ids of what was read above it. A reader that begins again with that second misses nothing.
 *
 * The events of a run come in their order. The run's row is locked from before an id is drawn until the commit, so whoever
 * sees an event sees those of its run with lower ids; and what is read is either one snapshot up to some id, or what lies
 * below the horizon, to which nothing is added.
 */
export class EventWindow {
  private readonly known = new Map<number, number>();
  private isFull = false;

  /** @param readSecond everything below it is taken for read */
  constructor(
    private readSecond: number,
    private readonly source: EventSource,
    private readonly pageLength = PAGE_LENGTH,
  ) {}

  get second(): number {
    return this.readSecond;
  }

  /** Whether the last pass has left events for the next. */
  get hasMore(): boolean {
    return this.isFull;
  }

  hasRead({ factId, at }: Pick<RunEvent, 'factId' | 'at'>): boolean {
    return at.getTime() < this.readSecond * 1_000 || this.known.has(factId);
  }

  /** What was not read yet, in pages; when all were taken, the second has risen to a horizon. */
  async *pass(): AsyncGenerator<RunEvent[]> {
    const { horizon, canRise, first } = await this.source.start(this.readSecond);
    this.isFull = false;
    if (first !== null) yield* this.pages(first - 1, Math.max(horizon, this.readSecond));
    if (horizon > this.readSecond) this.moveTo(horizon);
    if (this.known.size > 0 && canRise) await this.source.raise();
  }

  private async *pages(after: number, horizon: number): AsyncGenerator<RunEvent[]> {
    const asked = { from: this.readSecond, known: [...this.known.keys()], limit: this.pageLength };
    let page = await this.source.page({ ...asked, after, before: null });
    this.isFull = page.length === this.pageLength;
    for (;;) {
      for (const { factId, at } of page) this.known.set(factId, at.getTime());
      if (page.length > 0) yield page;
      if (page.length < this.pageLength) return;
      page = await this.source.page({ ...asked, after: page.at(-1)!.factId, before: horizon });
    }
  }

  private moveTo(horizon: number): void {
    this.readSecond = horizon;
    for (const [factId, atMs] of this.known) if (atMs < horizon * 1_000) this.known.delete(factId);
  }
}
