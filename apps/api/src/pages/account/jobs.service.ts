import type { ResultResource } from '@proctor/resources';
import { Inject, Injectable } from '@nestjs/common';
import { OwnRuns } from '@proctor/database';
import type { OwnRun, OwnRunPage, User } from '@proctor/database';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { resultObject } from '../../runs/result-object';
import type { Page } from '../layout/page';
import { LIST_PAGES_MAX } from '../layout/page-number';
import { runView } from '../runs/run-view';
import { isFiltered, type JobFilter, jobQuery, ownRunFilter, READERS, statusWords } from './job-filter';

const RUNS_SHOWN = 50;

export interface JobsObject {
  runs: ResultResource[];
  /** Path of the next page; null on the last page. Any page may have few runs or none. */
  next: string | null;
}

/** The runs of a user, requested with any of their keys or on pages, and those by which the user retried runs of others. */
@Injectable()
export class JobsService {
  constructor(
    private readonly ownRuns: OwnRuns,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  async page(user: User, filter: JobFilter): Promise<Page> {
    const { suites, architectures, neutral } = this.configuration.server;
    const { runs, next } = await this.find(user, filter);
    const base = `/user/${user.name}/jobs`;
    // Older runs do not change once they have all finished.
    const isFollowed = filter.before === null || runs.some(({ state }) => state !== 'finished');
    const topic = filter.before === null ? user.name : `${user.name}/${filter.before}`;
    return {
      template: 'account/jobs',
      data: {
        runs: runs.map((run) => ({
          ...runView(run, neutral),
          isFinished: run.state === 'finished',
          retry: retryWords(run, user),
        })),
        filter,
        isFiltered: isFiltered(filter),
        suites: [...new Set([...suites, ...(filter.suites ?? [])])],
        architectures: [...new Set([...architectures, ...(filter.architectures ?? [])])],
        statuses: statusWords(neutral),
        readers: READERS,
        follow: isFollowed ? `runs-of/${topic}` : null,
        // A run that appears later is not ticked.
        address: `${base}?${jobQuery(filter)}`,
        tickUrl: filter.areAllTicked ? null : `${base}?${jobQuery(filter, { tick: 'all' })}`,
        olderUrl: next === null ? null : `${base}?${jobQuery(filter, { before: next })}`,
        newestUrl: filter.before === null ? null : `${base}?${jobQuery(filter, { before: null })}`,
        jsonUrl: `${base}.json?${jobQuery(filter)}`,
      },
    };
  }

  /**
   * Finds the address of a numbered page.
   * @returns null when the list has no such page, and when the number is too high
   */
  async numberedUrl(user: User, filter: JobFilter, page: number): Promise<string | null> {
    const url = (before: number | null): string => `/user/${user.name}/jobs?${jobQuery(filter, { before })}`;
    if (page === 1) return url(null);
    if (page > LIST_PAGES_MAX) return null;
    const limit = (page - 1) * RUNS_SHOWN;
    const { runs, next } = await this.find(user, { ...filter, before: null }, limit);
    return runs.length === limit && next !== null ? url(next) : null;
  }

  async object(user: User, filter: JobFilter): Promise<JobsObject> {
    const { runs, next } = await this.find(user, filter);
    return {
      runs: runs.map((run) => resultObject(run, this.configuration.server.neutral)),
      next: next === null ? null : `/user/${user.name}/jobs.json?${jobQuery(filter, { before: next })}`,
    };
  }

  private find(user: User, filter: JobFilter, limit = RUNS_SHOWN): Promise<OwnRunPage> {
    const ownFilter = ownRunFilter(filter, this.configuration.server.neutral);
    return this.ownRuns.find(user.userId, ownFilter, limit, filter.before);
  }
}

/** Who retried whose run; null for a user's own retry, and for a run that is no retry. */
function retryWords({ requestor, retrier }: OwnRun, user: User): string | null {
  if (requestor !== user.name) return `your retry of ${requestor}’s run`;
  return retrier === null || retrier === requestor ? null : `retried by ${retrier}`;
}
