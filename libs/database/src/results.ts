import { Injectable } from '@nestjs/common';
import type { TestResult } from '@proctor/contracts';
import { Database } from './database';
import { type Horizon, horizon, raiseHorizon, until, untilAtBest } from './horizon';
import { type RunRecord, selectRecords } from './run-columns';
import { boolean, statement, time } from './statement';
import { requestWait } from './request-wait';
import { RunRow } from './rows';

/** Rows that are in memory at a time. */
const PAGE_LENGTH = 1_000;

/** PostgreSQL's times end before the number does; no row is from the year 10000 on. */
const SINCE_MAX = 253_402_300_800;

/** The answer to "what is new since": rows come in pages while they are read. */
export interface ResultsSince {
  /** UNIX seconds, whole: asking again since then misses nothing. */
  until: number;
  /**
   * Ordered by `updatedAt`, then `runId`. Each page is a statement of its own, so that a slow reader holds neither a
   * connection nor a snapshot; reading throws DatabaseUnavailable when the database goes away meanwhile.
   */
  rows: AsyncIterable<RunRecord>;
}

/** What requestors read back. */
@Injectable()
export class Results {
  constructor(private readonly database: Database) {}

  /**
   * The runs of one API key that were created, finished or published at or after a time.
   * @param sinceSeconds UNIX seconds, 0 or more, decimals allowed
   * @throws DatabaseUnavailable
   */
  async since(keyId: number, sinceSeconds: number): Promise<ResultsSince> {
    const from = Math.min(sinceSeconds, SINCE_MAX);
    let newest = await this.newest(keyId, from);
    if (newest.canRise && untilAtBest(sinceSeconds, newest.last) > newest.second) {
      await raiseHorizon(this.database);
      newest = await this.newest(keyId, from);
    }
    const { second, last } = newest;
    return { until: until(sinceSeconds, last, second), rows: this.pages(keyId, from, last) };
  }

  /**
   * Which of many clients that wait for news would get a row from `since`, in their order: one statement for all.
   * @throws DatabaseUnavailable
   */
  async withNews(waiting: { keyId: number; sinceSeconds: number }[]): Promise<boolean[]> {
    const rows = await this.database.query(WITH_NEWS, [
      waiting.map(({ keyId }) => keyId),
      waiting.map(({ sinceSeconds }) => Math.min(sinceSeconds, SINCE_MAX)),
    ]);
    return rows.map(({ isThere }) => isThere);
  }

  /** A run by its id, of any requestor. */
  async find(runId: number): Promise<RunRecord | null> {
    const [record] = await this.database.query(BY_ID, [runId]);
    return record ?? null;
  }

  /** How the single tests of a run ended; empty when nothing is known of them, as before it has finished. */
  async testsOf(runId: number): Promise<TestResult[]> {
    const run = await this.database.entities((manager) =>
      manager.findOne(RunRow, { select: { runId: true, tests: true }, where: { runId } }),
    );
    return run?.tests ?? [];
  }

  /** A horizon, and then the time of the key's newest row from `from` on. */
  private async newest(keyId: number, from: number): Promise<Horizon & { last: Date | null }> {
    const found = await horizon(this.database);
    const [newest] = await this.database.query(NEWEST_UPDATE, [keyId, from]);
    return { ...found, last: newest?.updatedAt ?? null };
  }

  /**
   * A row that moves while the pages are read gets a time at or above the horizon, and so at or above `until`: if it is
   * not met here, the next call returns it.
   */
  private async *pages(keyId: number, sinceSeconds: number, last: Date | null): AsyncGenerator<RunRecord> {
    if (last === null) return;
    let page = await this.database.query(FIRST_PAGE, [keyId, last, sinceSeconds]);
    for (;;) {
      yield* page;
      const end = page.at(-1);
      if (end === undefined || page.length < PAGE_LENGTH) return;
      requestWait()?.restart();
      page = await this.database.query(NEXT_PAGE, [keyId, last, end.updatedAt, end.runId]);
    }
  }
}

/** By the key's newest row, since PostgreSQL may go through all rows of a key to find that none is new enough. */
const WITH_NEWS = statement(
  { isThere: boolean },
  `
  select coalesce((
    select r.updated_at from runs r where r.api_key_id = waiting.key_id order by r.updated_at desc limit 1
  ) >= to_timestamp(waiting.since), false) as "isThere"
  from unnest($1::integer[], $2::float8[]) with ordinality as waiting(key_id, since, place)
  order by place`,
).prepared;

const NEWEST_UPDATE = statement(
  { updatedAt: time.orNull },
  `select max(updated_at) as "updatedAt" from runs where api_key_id = $1 and updated_at >= to_timestamp($2)`,
).prepared;

const BY_ID = selectRecords('where r.run_id = $1').prepared;

/** The length stands in the text: a plan for any length might sort all rows of a key for each page. */
const PAGE_END = `and r.updated_at <= $2 order by r.updated_at, r.run_id limit ${PAGE_LENGTH}`;
const FIRST_PAGE = selectRecords(
  `where r.api_key_id = $1 and r.updated_at >= to_timestamp($3) ${PAGE_END}`,
).prepared;
const NEXT_PAGE = selectRecords(
  `where r.api_key_id = $1 and (r.updated_at, r.run_id) > ($3, $4) ${PAGE_END}`,
).prepared;
