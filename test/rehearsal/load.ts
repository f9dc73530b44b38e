import { setTimeout as pause } from 'node:timers/promises';
import { connectTo } from '../support/database';
import { SUITE } from './configuration';

const POLL_WAIT_SECONDS = 10;

/** What became of the runs that were accepted. */
export interface Outcome {
  accepted: number;
  /** How many of them the database no longer knows. */
  lost: number;
  unfinished: number;
  /** Attempts that were executed, beyond the first of each run. */
  extraAttempts: number;
  /** Attempts that were handed back before they were executed: a worker that leaves does so. */
  handedBack: number;
  /** Attempts whose lease was lost, or expired. */
  lostLeases: number;
  /** How each attempt ended that another one followed. */
  followed: string[];
}

/** Clients: some submit runs at a rate, one waits for results by long polls, one reads pages. */
export class Load {
  readonly accepted = new Set<number>();
  /** Requests that were not answered as they should be. */
  readonly refused: string[] = [];
  requests = 0;
  /** Requests that were answered 503 while that had to be expected. */
  excused = 0;
  private over = false;
  private clients: Promise<unknown>[] = [];

  constructor(
    private readonly base: string,
    private readonly key: string,
    private readonly arch: string,
    /** Whether their failure is excused: an outage of the database is being rehearsed. */
    private readonly mayBeUnavailable: () => boolean = () => false,
  ) {}

  start(perSecond: number): void {
    this.clients = [this.submit(perSecond), this.follow(), this.browse()];
  }

  async stop(): Promise<void> {
    this.over = true;
    await Promise.all(this.clients);
  }

  private async submit(perSecond: number): Promise<void> {
    for (let count = 1; !this.over; count += 1) {
      const tests = JSON.stringify([{ package: `load-${process.pid}-${count}`, trigger: 'sleep:1' }]);
      void this.send('POST', `/api/v1/test/${SUITE}/${this.arch}`, new URLSearchParams({ tests })).then(
        (answer) => {
          const { runs = [] } = (answer ?? {}) as { runs?: { run_id: number }[] };
          for (const { run_id: runId } of runs) this.accepted.add(runId);
        },
      );
      await pause(1_000 / perSecond);
    }
  }

  private async follow(): Promise<void> {
    while (!this.over) {
      const since = Math.floor(Date.now() / 1000);
      const path = `/api/v1/test?since=${since + 1}&wait=${POLL_WAIT_SECONDS}`;
      await this.send('GET', path);
      await pause(50);
    }
  }

  private async browse(): Promise<void> {
    while (!this.over) {
      await this.send('GET', '/');
      await pause(100);
    }
  }

  /** @returns the answer, when it is JSON */
  private async send(method: string, path: string, body?: URLSearchParams): Promise<unknown> {
    const wasUnavailable = this.mayBeUnavailable();
    this.requests += 1;
    try {
      const headers = { 'Auth-Key': this.key };
      const answer = await fetch(this.base + path, { method, headers, ...(body && { body }) });
      const text = await answer.text();
      if (answer.ok) return answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : null;
      const isExcused = answer.status === 503 && (wasUnavailable || this.mayBeUnavailable());
      if (isExcused) this.excused += 1;
      else this.refused.push(`${method} ${path}: ${answer.status} ${text.slice(0, 200)}`);
    } catch (error) {
      this.refused.push(`${method} ${path}: ${String(error)}`);
    }
    return null;
  }
}

/** Waits until all have finished, or until the time is over. */
export async function outcomeOf(
  databaseUrl: string,
  accepted: Set<number>,
  timeoutMs: number,
): Promise<Outcome> {
  const database = await connectTo(databaseUrl);
  try {
    const ids = [...accepted];
    for (const endMs = performance.now() + timeoutMs; ; await pause(500)) {
      const { rows } = await database.query<Omit<Outcome, 'accepted' | 'followed'>>(OUTCOME, [ids]);
      const counts = rows[0]!;
      if (counts.unfinished > 0 && performance.now() <= endMs) continue;
      const { rows: followed } = await database.query<{ line: string }>(FOLLOWED, [ids]);
      return { accepted: ids.length, ...counts, followed: followed.map(({ line }) => line) };
    }
  } finally {
    await database.end();
  }
}

const OUTCOME = `
  select (select cardinality($1::bigint[]) - count(*) from runs where run_id = any($1))::int as lost,
    (select count(*) from runs where run_id = any($1) and state <> 'finished')::int as unfinished,
    (select count(*) - count(distinct run_id) from attempts
      where run_id = any($1) and outcome is distinct from 'returned')::int as "extraAttempts",
    (select count(*) from attempts where run_id = any($1) and outcome = 'returned')::int as "handedBack",
    (select count(*) from attempts where run_id = any($1) and outcome in ('lost', 'expired'))::int as "lostLeases"`;

const FOLLOWED = `
  select format('attempt %s of run %s, granted to %s in epoch %s, was %s after %s s: %s', a.attempt, a.run_id, a.worker, a.epoch,
    a.outcome, round(extract(epoch from a.ended_at - a.granted_at), 1), a.reason) as line
  from attempts a join runs r using (run_id) where run_id = any($1) and a.attempt < r.attempt order by a.run_id, a.attempt`;
