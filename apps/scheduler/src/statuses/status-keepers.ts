import { Inject, Injectable, Logger } from '@nestjs/common';
import { type Clock, WakeUp } from '@proctor/clock';
import { DayStatistics, StatusProjection } from '@proctor/database';
import { CLOCK } from '../configuration.token';
import type { OwnedService } from '../ownership/owned-service';
import type { OwnershipTerm } from '../ownership/ownership-term';

/** Injection token of a function that returns the current StatusSettings. */
export const STATUS_SETTINGS = Symbol('status settings');

export interface StatusSettings {
  /** Changes are read at least this often. */
  pollMs: number;
  /** The shortest time between two reads. */
  pauseMs: number;
  /** The statistics of the day are updated at least this often while statuses change, */
  statisticsMs: number;
  /** and this often while none changes: a day may end. */
  idleStatisticsMs: number;
}

/** The projections that compute statuses and statistics. */
interface Projections {
  statuses: Pick<StatusProjection, 'hasNews' | 'step'>;
  days: Pick<DayStatistics, 'step'>;
}

/** Statuses are computed for at most a quarter of the time: pages may be late, turns may not. */
const REST_PER_WORK = 3;

/** Keeps the statuses that pages read up to date, for the architectures that this process owns. */
@Injectable()
export class StatusKeepers implements OwnedService {
  private readonly keepers = new Map<OwnershipTerm, StatusKeeper>();

  constructor(
    @Inject(StatusProjection) private readonly projection: Projections['statuses'],
    @Inject(DayStatistics) private readonly statistics: Projections['days'],
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(STATUS_SETTINGS) private readonly settings: () => StatusSettings,
  ) {}

  /** Runs of the architecture have changed. */
  onRunsChanged(arch: string): void {
    for (const [term, keeper] of this.keepers) if (term.arch === arch) keeper.onRunsChanged();
  }

  start(term: OwnershipTerm): Promise<void> {
    const projections = { statuses: this.projection, days: this.statistics };
    this.keepers.set(term, new StatusKeeper(term, projections, this.clock, this.settings));
    return Promise.resolve();
  }

  async stop(term: OwnershipTerm): Promise<void> {
    const keeper = this.keepers.get(term);
    this.keepers.delete(term);
    await keeper?.stop();
  }

  abandon(term: OwnershipTerm): void {
    void this.stop(term);
  }
}

/**
 * Keeps the statuses of one architecture for one term. Two processes may do this at the same time for a moment: see
 * StatusProjection.
 */
class StatusKeeper {
  private readonly logger: Logger;
  private readonly news: WakeUp;
  private readonly end: WakeUp;
  private isStopped = false;
  /** When the statistics of the day were updated, by the clock. */
  private statisticsAt = -Infinity;
  /** Whether statuses may have changed since then. */
  private areStatisticsOld = true;
  private readonly loop: Promise<void>;

  constructor(
    private readonly term: OwnershipTerm,
    private readonly projections: Projections,
    private readonly clock: Clock,
    private readonly settings: () => StatusSettings,
  ) {
    this.logger = new Logger(`Statuses ${term.arch}`);
    this.news = new WakeUp(clock);
    this.end = new WakeUp(clock);
    this.loop = this.run();
  }

  onRunsChanged(): void {
    this.news.wake();
  }

  /** Resolves when writing has ended. */
  stop(): Promise<void> {
    this.isStopped = true;
    this.news.wake();
    this.end.wake();
    return this.loop;
  }

  private async run(): Promise<void> {
    while (!this.isStopped) {
      this.news.reset();
      const beganAt = this.clock.now();
      const hasMore = this.term.holds() && (await this.step());
      const { pollMs, pauseMs } = this.settings();
      const restMs = REST_PER_WORK * (this.clock.now() - beganAt);
      // Changes that arrive during the pause are handled together.
      await this.rest(this.end, hasMore ? restMs : Math.max(restMs, pauseMs));
      if (!hasMore) await this.rest(this.news, pollMs);
    }
  }

  private async step(): Promise<boolean> {
    try {
      const { statuses } = this.projections;
      if (await statuses.hasNews(this.term.arch)) {
        this.areStatisticsOld = true;
        if (await statuses.step(this.term.arch)) return true;
      }
      return await this.updateStatistics();
    } catch (error) {
      this.logger.warn(`the statuses of packages could not be updated: ${String(error)}`);
      return false;
    }
  }

  private async updateStatistics(): Promise<boolean> {
    const { statisticsMs, idleStatisticsMs } = this.settings();
    const dueAt = this.statisticsAt + (this.areStatisticsOld ? statisticsMs : idleStatisticsMs);
    if (this.clock.now() < dueAt) return false;
    const hasMore = await this.projections.days.step(this.term.arch);
    if (!hasMore) {
      this.statisticsAt = this.clock.now();
      this.areStatisticsOld = false;
    }
    return hasMore;
  }

  private async rest(until: WakeUp, ms: number): Promise<void> {
    if (!this.isStopped) await until.wait(ms);
  }
}
