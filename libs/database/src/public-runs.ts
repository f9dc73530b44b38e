import { Injectable } from '@nestjs/common';
import { Database } from './database';
import { type RunRecord, SELECT_RECORD } from './record';

/** The suite queue of one suite and architecture, as numbers. */
export interface QueueLength {
  suite: string;
  arch: string;
  waiting: number;
  /** Leased or running. */
  running: number;
  /** Arrival of the run that has waited longest; null when none waits. */
  oldestAt: Date | null;
}

/** What everybody may see: private runs never appear, except as bare numbers in the lengths of queues. */
@Injectable()
export class PublicRuns {
  constructor(private readonly database: Database) {}

  /** The newest finished run without pins and extra sources: the package's present state. */
  async latest(suite: string, arch: string, packageName: string): Promise<RunRecord | null> {
    const [record] = await this.database.query<RunRecord>(LATEST, [packageName, suite, arch]);
    return record ?? null;
  }

  /** Finished runs, newest first. */
  history(suite: string, arch: string, packageName: string, limit: number): Promise<RunRecord[]> {
    return this.database.query<RunRecord>(HISTORY, [packageName, suite, arch, limit]);
  }

  /** Leased or running, the longest running first. */
  running(limit: number): Promise<RunRecord[]> {
    return this.database.query<RunRecord>(RUNNING, [limit]);
  }

  /** Finished, newest first. */
  recent(limit: number): Promise<RunRecord[]> {
    return this.database.query<RunRecord>(RECENT, [limit]);
  }

  /** Queued, by priority and then by arrival; fair share may serve them in another order. */
  waiting(limit: number): Promise<RunRecord[]> {
    return this.database.query<RunRecord>(WAITING, [limit]);
  }

  /** Of all suites and architectures that have an unfinished run, private ones counted. */
  queues(): Promise<QueueLength[]> {
    return this.database.query<QueueLength>(QUEUES);
  }
}

const OF_PACKAGE = `${SELECT_RECORD}
  where r.state = 'finished' and not r.is_private and r.package = $1 and r.suite = $2 and r.arch = $3`;
const NEWEST_FIRST = 'order by r.finished_at desc, r.run_id desc';

const LATEST = `${OF_PACKAGE} and r.pin_packages = '[]' and r.extra_apt_sources = '[]' ${NEWEST_FIRST} limit 1`;
const HISTORY = `${OF_PACKAGE} ${NEWEST_FIRST} limit $4`;
const RECENT = `${SELECT_RECORD} where r.state = 'finished' and not r.is_private ${NEWEST_FIRST} limit $1`;
const RUNNING = `${SELECT_RECORD}
  where r.state in ('leased', 'running') and not r.is_private
  order by r.started_at nulls last, r.run_id limit $1`;
const WAITING = `${SELECT_RECORD}
  where r.state = 'queued' and not r.is_private
  order by r.priority desc, r.created_at, r.run_id limit $1`;
const QUEUES = `
  select suite, arch,
    (count(*) filter (where state = 'queued'))::integer as waiting,
    (count(*) filter (where state <> 'queued'))::integer as running,
    min(created_at) filter (where state = 'queued') as "oldestAt"
  from runs where state <> 'finished' group by suite, arch order by suite, arch`;
