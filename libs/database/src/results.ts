import { Injectable } from '@nestjs/common';
import type { TestResult } from '@proctor/contracts';
import { Database } from './database';
import { type Horizon, horizon, raiseHorizon, until, untilAtBest } from './horizon';
import { type RunRecord, SELECT_RECORD } from './record';
import { requestWait } from './request-wait';

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
    const rows = await this.database.query<{ isThere: boolean }>(WITH_NEWS, [
      waiting.map(({ keyId }) => keyId),
      waiting.map(({ sinceSeconds }) => Math.min(sinceSeconds, SINCE_MAX)),
    ]);
    return rows.map(({ isThere }) => isThere);
  }

  /** A run by its id, whoever asked for it. */
  async find(runId: number): Promise<RunRecord | null> {
    const [record] = await this.database.query<RunRecord>(`${SELECT_RECORD} where r.run_id = $1`, [runId]);
    return record ?? null;
  }

  /** How the single tests of a run ended; empty when nothing is known of them, as before it has finished. */
  async testsOf(runId: number): Promise<TestResult[]> {
    const [row] = await this.database.query<{ tests: TestResult[] }>(
      'select tests from runs where run_id = $1',
      [runId],
    );
    return row?.tests ?? [];
  }

  /** A horizon, and then the time of the key's newest row from `from` on. */
  private async newest(keyId: number, from: number): Promise<Horizon & { last: Date | null }> {
    const found = await horizon(this.database);
    const [newest] = await this.database.query<{ updatedAt: Date | null }>(
      `select max(updated_at) as "updatedAt" from runs where api_key_id = $1 and updated_at >= to_timestamp($2)`,
      [keyId, from],
    );
    return { ...found, last: newest?.updatedAt ?? null };
  }

  /**
   * A row that moves while the pages are read gets a time at or above the horizon, and so at or above `until`: if it is
   * not met here, the next call returns it.
   */
  private async *pages(keyId: number, sinceSeconds: number, last: Date | null): AsyncGenerator<RunRecord> {
    if (last === null) return;
    let page = await this.database.query<RunRecord>(FIRST_PAGE, [keyId, last, PAGE_LENGTH, sinceSeconds]);
    for (;;) {
      yield* page;
      const end = page.at(-1);
      if (end === undefined || page.length < PAGE_LENGTH) return;
      requestWait()?.restart();
      page = await this.database.query<RunRecord>(NEXT_PAGE, [
        keyId,
        last,
        PAGE_LENGTH,
        end.updatedAt,
        end.runId,
      ]);
    }
  }
}

/** By the key's newest row, since PostgreSQL may go through all rows of a key to find that none is new enough. */
const WITH_NEWS = `
  select coalesce((
    select r.updated_at from runs r where r.api_key_id = waiting.key_id order by r.updated_at desc limit 1
  ) >= to_timestamp(waiting.since), false) as "isThere"
  from unnest($1::integer[], $2::float8[]) with ordinality as waiting(key_id, since, place)
  order by place`;

const PAGE_END = `and r.updated_at <= $2 order by r.updated_at, r.run_id limit $3`;
const FIRST_PAGE = `${SELECT_RECORD} where r.api_key_id = $1 and r.updated_at >= to_timestamp($4) ${PAGE_END}`;
const NEXT_PAGE = `${SELECT_RECORD} where r.api_key_id = $1 and (r.updated_at, r.run_id) > ($4, $5) ${PAGE_END}`;
