import type { Client } from 'pg';
import { migrate } from '../../schema/migrate';
import type { FoundAttempt } from '../expiry';
import { longConnection } from './connection';
import { advance, GAP, type LoadedDump, RUN_IDS } from './load';
import { sequencesOf } from './tables';

/** A database that PostgreSQL has restored to an earlier moment, and that no service uses yet. */
export class EarlierMoment {
  private constructor(
    private readonly client: Client,
    private readonly url: string,
  ) {}

  static async open(url: string): Promise<EarlierMoment> {
    return new EarlierMoment(await longConnection(url, 'proctor restored'), url);
  }

  /** The time of its newest fact; null if it has none. */
  async newest(): Promise<Date | null> {
    const { rows } = await this.client.query<{ at: Date | null }>(
      'select max(at) as at from (select at from facts order by fact_id desc limit 1000) newest',
    );
    return rows[0]!.at;
  }

  /** The highest run id that it has given. */
  async lastRun(): Promise<number> {
    return (await sequencesOf(this.client)).find(({ name }) => name === RUN_IDS)?.last ?? 0;
  }

  /** The number of runs with a log or artifacts, according to their rows. */
  async runsWithFiles(): Promise<number> {
    const { rows } = await this.client.query<{ runs: string }>(
      'select count(*) as runs from runs where log_size is not null or artifacts_size is not null',
    );
    return Number(rows[0]!.runs);
  }

  /** The number of these that are complete files of their runs, according to the rows. */
  async wholeAmong(attempts: FoundAttempt[]): Promise<number> {
    const { rows } = await this.client.query<{ runs: string }>(WHOLE, [
      attempts.map(({ runId }) => runId),
      attempts.map(({ attempt }) => attempt),
      attempts.map(({ hasLog }) => hasLog),
      attempts.map(({ hasArtifacts }) => hasArtifacts),
    ]);
    return Number(rows[0]!.runs);
  }

  /**
   * Prepares the database for new work: no number is given twice, and no process owns an architecture.
   * @param highestRun a run id that is known from elsewhere
   */
  async prepareDatabase(highestRun: number, report: (line: string) => void): Promise<LoadedDump> {
    await migrate(this.url, { progress: report });
    const sequences = await sequencesOf(this.client);
    const last = sequences.find(({ name }) => name === RUN_IDS)?.last ?? 0;
    for (const { name, last: own } of sequences)
      await advance(this.client, { name, last: name === RUN_IDS ? Math.max(last, highestRun) : own });
    await this.client.query('update dispatchers set owner = null');
    return { firstLostRun: last + 1, nextRun: Math.max(last, highestRun) + 1 + GAP.bigint };
  }

  end(): Promise<void> {
    return this.client.end();
  }
}

const WHOLE = `
  select count(*) as runs from unnest($1::bigint[], $2::integer[], $3::boolean[], $4::boolean[])
    as found(run_id, attempt, has_log, has_artifacts)
  join runs r using (run_id, attempt)
  where (r.log_size is not null or r.artifacts_size is not null)
    and (r.log_size is null or found.has_log) and (r.artifacts_size is null or found.has_artifacts)`;
