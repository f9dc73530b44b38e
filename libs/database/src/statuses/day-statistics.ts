import { Injectable } from '@nestjs/common';
import { Database } from '../kit/database';
import * as statements from './day-statements';
import type { PackagesOfDay, PackagesOfPlace, RunsOfDay } from './day-statements';

/** Whose figures are asked for; null for those of all. */
export interface DayFilter {
  suite: string | null;
  arch: string | null;
}

/** Days whose figures one step makes from the runs. */
const DAYS_PER_STEP = 28;

/**
 * Figures of each day: how many runs ended and how, how long they waited and took, and how many packages passed. The figures of
 * the last two days are made again and again, those of days before once more and then never: they stay when the runs go.
 */
@Injectable()
export class DayStatistics {
  constructor(private readonly database: Database) {}

  /**
   * Makes figures of an architecture of the rows as they are: doing it twice, or by two processes, changes nothing.
   * @returns whether there are more days to be made at once
   * @throws DatabaseUnavailable
   */
  async step(arch: string): Promise<boolean> {
    const [progress] = await this.database.query(statements.DAYS_LEFT, [arch, DAYS_PER_STEP]);
    // The projection of statuses begins.
    if (!progress) return false;
    const { closedDay, nextDay, lastDay, isPast, today, hasMore } = progress;
    if (!isPast) {
      await this.database.transaction(async (transaction) => {
        await transaction.query(statements.LOCK_DAYS, [arch]);
        await transaction.query(statements.KEEP_RUN_DAYS, [arch, nextDay, today]);
        await transaction.query(statements.KEEP_STATUSES_OF_TODAY, [arch, today]);
      });
      return false;
    }
    const suites = await this.database.query(statements.SUITES, [arch]);
    await this.database.transaction(async (transaction) => {
      await transaction.query(statements.LOCK_DAYS, [arch]);
      await transaction.query(statements.KEEP_RUN_DAYS, [arch, nextDay, lastDay]);
    });
    const days = 1 + (Date.parse(lastDay) - Date.parse(nextDay)) / 86_400_000;
    for (const { suite } of suites)
      await this.database.query(statements.KEEP_STATUS_DAYS, [suite, arch, days, nextDay]);
    await this.database.query(statements.CLOSE_DAYS, [arch, lastDay, closedDay]);
    return hasMore;
  }

  /** Days on which none ended are absent; by day. @param from `YYYY-MM-DD` */
  runs(from: string, { suite, arch }: DayFilter): Promise<RunsOfDay[]> {
    return this.database.query(statements.RUN_DAYS, [from, suite, arch]);
  }

  /** By day. @param from `YYYY-MM-DD` */
  packages(from: string, { suite, arch }: DayFilter): Promise<PackagesOfDay[]> {
    return this.database.query(statements.STATUS_DAYS, [from, suite, arch]);
  }

  /** Of each suite and architecture that has any, as they are now or were when they were looked at last. */
  places(): Promise<PackagesOfPlace[]> {
    return this.database.query(statements.PLACES);
  }
}
