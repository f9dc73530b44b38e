import { Injectable } from '@nestjs/common';
import type { NeutralStatus, TestResult } from '@proctor/contracts';
import type { RunError } from '@proctor/dispatch';
import { Database } from '../kit/database';
import { type Horizon, horizon, raiseHorizon, until, untilAtBest } from '../kit/horizon';
import { type RunRecord, selectRecords } from '../runs/run-columns';
import { currentWait } from '../kit/request-wait';
import { FIRST_PAGE, FIRST_PAGE_LENGTH, NEXT_PAGE, PAGE_LENGTH } from './result-texts';
import { boolean, statement, time } from '../kit/statement';
import { AttemptRow } from '../rows/attempt';
import { RunRow } from '../rows';

/** The year 10000. PostgreSQL's times end before the largest number, and no row is from that year or later. */
const SINCE_MAX = 253_402_300_800;

const ATTEMPT_COLUMNS = {
  attempt: true,
  worker: true,
  epoch: true,
  startedAt: true,
  endedAt: true,
  outcome: true,
  verdict: true,
  reason: true,
  grantedAt: true,
  logSize: true,
  artifactsSize: true,
} as const;

/** An attempt of a run, and the files that it left. `epoch` is the epoch of its grant. */
export type AttemptRecord = Pick<AttemptRow, keyof typeof ATTEMPT_COLUMNS>;

/** The results since a time. They are read in pages, while the reader uses them. */
interface ResultsSince {
  /** UNIX seconds, an integer: a call with this time as `since` misses nothing. */
  until: number;
  /**
   * JSON of the results in the form of the API, separated by commas, ordered by `updatedAt`, then `runId`. Each page
   * is read by its own statement, so that a slow reader holds neither a connection nor a snapshot; one page is read
   * ahead. Throws DatabaseUnavailable if the database becomes unavailable during reading. Null if nothing is new.
   */
  pages: AsyncIterable<string> | null;
}

/** The results that requestors read. */
@Injectable()
export class Results {
  constructor(private readonly database: Database) {}

  /**
   * The runs of one API key that were created, finished or published at or after a time.
   * @param sinceSeconds UNIX seconds, 0 or more, decimals allowed
   * @param neutral the status of neutral runs
   */
  async since(keyId: number, sinceSeconds: number, neutral: NeutralStatus): Promise<ResultsSince> {
    const from = Math.min(sinceSeconds, SINCE_MAX);
    // Most polls are empty, and an empty answer does not need a horizon.
    const [any] = await this.database.query(NEWEST_UPDATE, [keyId, from]);
    if (!any?.updatedAt) return { until: until(sinceSeconds, null, Infinity), pages: null };
    let newest = await this.newest(keyId, from);
    if (newest.canRise && untilAtBest(sinceSeconds, newest.last) > newest.second) {
      await raiseHorizon(this.database);
      newest = await this.newest(keyId, from);
    }
    const { second, last } = newest;
    return { until: until(sinceSeconds, last, second), pages: this.pages(keyId, neutral, from, last) };
  }

  /**
   * Answers for each of many waiting clients, in their order, whether its key has a row at or after `sinceSeconds`
   * (UNIX time). One statement for all.
   */
  async withNews(waiting: { keyId: number; sinceSeconds: number }[]): Promise<boolean[]> {
    const rows = await this.database.query(WITH_NEWS, [
      waiting.map(({ keyId }) => keyId),
      waiting.map(({ sinceSeconds }) => Math.min(sinceSeconds, SINCE_MAX)),
    ]);
    return rows.map(({ isThere }) => isThere);
  }

  /** A run of any requestor by its id. */
  async find(runId: number): Promise<RunRecord | null> {
    const [record] = await this.database.query(BY_ID, [runId]);
    return record ?? null;
  }

  /** The results of the single tests of a run; empty if they are unknown, for example before it has finished. */
  async testsOf(runId: number): Promise<TestResult[]> {
    const run = await this.database.entities((manager) =>
      manager.findOne(RunRow, { select: { runId: true, tests: true }, where: { runId } }),
    );
    return run?.tests ?? [];
  }

  /** The first error of a run's log; null if none is known. */
  async errorOf(runId: number): Promise<RunError | null> {
    const run = await this.database.entities((manager) =>
      manager.findOne(RunRow, {
        select: { runId: true, errorSignature: true, errorExcerpt: true },
        where: { runId },
      }),
    );
    const { errorSignature: signature, errorExcerpt: excerpt } = run ?? {};
    return signature && excerpt ? { signature, excerpt } : null;
  }

  /** The attempts of a run, oldest first. */
  attemptsOf(runId: number): Promise<AttemptRecord[]> {
    return this.database.entities((manager) =>
      manager.find(AttemptRow, { select: ATTEMPT_COLUMNS, where: { runId }, order: { attempt: 'ASC' } }),
    );
  }

  /** Reads a horizon, and then the time of the newest row of the key from `from` on. */
  private async newest(keyId: number, from: number): Promise<Horizon & { last: Date | null }> {
    const [currentHorizon, [newest]] = await this.database.inOrder((statements) =>
      Promise.all([horizon(statements), statements.query(NEWEST_UPDATE, [keyId, from])]),
    );
    return { ...currentHorizon, last: newest?.updatedAt ?? null };
  }

  /**
   * Reads the pages. If a row changes meanwhile, it gets a time at or above the horizon, so at or above `until`: if
   * it is missing here, the next call returns it.
   */
  private async *pages(
    keyId: number,
    neutral: NeutralStatus,
    sinceSeconds: number,
    last: Date | null,
  ): AsyncGenerator<string> {
    if (last === null) return;
    let reading = this.database.query(FIRST_PAGE, [keyId, neutral, last, sinceSeconds]);
    for (let length = FIRST_PAGE_LENGTH; ; length = PAGE_LENGTH) {
      const rows = await reading;
      const end = rows.at(-1);
      if (!end) return;
      const isLast = rows.reduce((sum, row) => sum + row.length, 0) < length;
      if (!isLast) {
        currentWait()?.restart();
        reading = this.database.query(NEXT_PAGE, [keyId, neutral, last, end.updatedAt, end.runId]);
        // The error is thrown when the page is awaited, if it is awaited at all.
        reading.catch(() => undefined);
      }
      for (const { results } of rows) yield results;
      if (isLast) return;
    }
  }
}

/**
 * Compares the newest row of the key: otherwise PostgreSQL might read all rows of a key to find that none is new
 * enough.
 */
const WITH_NEWS = statement(
  { isThere: boolean },
  `
  select coalesce((
    select r.updated_at from runs r where r.api_key_id = waiting.key_id order by r.updated_at desc limit 1
  ) >= to_timestamp(waiting.since), false) as "isThere"
  from unnest($1::integer[], $2::float8[]) with ordinality as waiting(key_id, since, place)
  order by place`,
).asPrepared;

const NEWEST_UPDATE = statement(
  { updatedAt: time.orNull },
  `select max(updated_at) as "updatedAt" from runs where api_key_id = $1 and updated_at >= to_timestamp($2)`,
).asPrepared;

const BY_ID = selectRecords('where r.run_id = $1').asPrepared;
