import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { HttpClient } from '../client';
import { type Counts, countsOf, difference } from '../database-counts';
import { countedLink } from '../counted-link';
import { ARCH, Deployment, SUITE } from '../deployment';
import { ExecutedDeployment } from '../executed';
import { AT_ONCE } from '../peers/plan';
import type { Numbers, Row } from '../row';

/** Counts for an api alone: nothing else uses PostgreSQL at that time. */
export const requestCounts: Row = {
  name: 'request-counts',
  what: 'counted for one request at one connection',
  against: null,
  figures: [
    { what: 'POST, round trips', unit: '', of: 'postRoundTrips', mark: { atMost: 3 } },
    { what: 'POST, statements', unit: '', of: 'postStatements', mark: null },
    { what: 'POST, commits that write', unit: '', of: 'postCommits', mark: null },
    { what: 'POST, WAL', unit: 'bytes', of: 'postWal', mark: null },
    { what: 'empty poll, round trips', unit: '', of: 'pollRoundTrips', mark: null },
    { what: 'empty poll, statements', unit: '', of: 'pollStatements', mark: null },
  ],
  rounds: 1,
  async open(place) {
    const links: Awaited<ReturnType<typeof countedLink>>[] = [];
    const deployment = await Deployment.start(place, {
      databaseUrlOf: async (_part, url) => {
        links.push(await countedLink(url));
        return links[0]!.url;
      },
    });
    const counter = await counterOf(deployment.databaseUrl);
    const client = new HttpClient(deployment.url, { 'Auth-Key': deployment.key });
    const times = place.size(300, 20);
    const countsOf = async (work: () => Promise<unknown>) => {
      await work();
      const before = { ...(await counter.now()), roundTrips: links[0]!.roundTrips() };
      for (let turn = 0; turn < times; turn += 1) await work();
      const after = { ...(await counter.now()), roundTrips: links[0]!.roundTrips() };
      const { commits, statements, wal } = difference(before, after);
      return [after.roundTrips - before.roundTrips, statements - 1, commits - 1, wal].map(
        (each) => each / times,
      );
    };
    const since = Math.floor(Date.now() / 1000) + 100_000;
    return {
      async measured() {
        const post = await countsOf(() => client.mustPost(`/api/v1/test/${SUITE}/${ARCH}/hello`, undefined));
        const poll = await countsOf(() => client.mustGet(`/api/v1/test?since=${since}`));
        return {
          ...{ postRoundTrips: post[0]!, postStatements: post[1]!, postCommits: post[2]!, postWal: post[3]! },
          ...{ pollRoundTrips: poll[0]!, pollStatements: poll[1]! },
        };
      },
      async close() {
        client.close();
        await counter.close();
        await deployment.stop();
        for (const link of links) await link.close();
      },
    };
  },
};

/** Processes whose processor time is shown. */
const PARTS = ['scheduler', 'nats-server', 'PostgreSQL'];

/** What the idle deployment does by itself is taken off, but of processor time. */
export const runCounts: Row = {
  name: 'run-counts',
  what: 'counted for one whole run that does nothing',
  against: null,
  figures: [
    { what: 'alone, commits that write', unit: '', of: 'aloneCommits', mark: { atMost: 4 } },
    { what: 'alone, statements', unit: '', of: 'aloneStatements', mark: null },
    { what: 'under load, commits that write', unit: '', of: 'loadCommits', mark: { atMost: 0.2 } },
    { what: 'under load, statements', unit: '', of: 'loadStatements', mark: null },
    { what: 'under load, WAL', unit: 'bytes', of: 'loadWal', mark: null },
    ...['alone', 'load'].flatMap((when) =>
      PARTS.map((part) => ({
        what: `${when === 'load' ? 'under load' : when}, processor time of ${part}`,
        ...{ unit: 'ms', of: `${when} ${part}`, mark: null },
      })),
    ),
  ],
  rounds: 3,
  async open(place) {
    const executed = await ExecutedDeployment.start(place, { workers: 6, slots: AT_ONCE / 6 });
    const { databaseUrl, schedulers, natsPid } = executed.deployment;
    const pids = [schedulers[0]!.pid!, natsPid, place.postgres.pid!];
    const counter = await counterOf(
      databaseUrl,
      Object.fromEntries(PARTS.map((part, index) => [part, pids[index]!])),
    );
    const idle = await perMillisecond(counter, place.size(5_000, 500));
    const countsOf = async (runs: number, work: () => Promise<void>): Promise<Counts> => {
      const [before, startedAt] = [await counter.now(), performance.now()];
      await work();
      const ms = performance.now() - startedAt;
      const { commits, statements, rows, wal, processor } = difference(before, await counter.now());
      const own = (total: number, idleCount: number) => (total - idleCount * ms) / runs;
      return {
        ...{ commits: own(commits, idle.commits), statements: own(statements, idle.statements) },
        ...{ rows: own(rows, idle.rows), wal: own(wal, idle.wal), processor },
      };
    };
    const [many, few] = [place.size(3_000, 50), place.size(40, 3)];
    return {
      async measured(): Promise<Numbers> {
        const alone = await countsOf(few, async () => {
          for (let run = 0; run < few; run += 1) await executed.execute(1);
        });
        const load = await countsOf(many, () => executed.execute(many));
        return {
          ...{ aloneCommits: alone.commits, aloneStatements: alone.statements },
          ...{ loadCommits: load.commits, loadStatements: load.statements },
          loadWal: load.wal,
          ...processorOf('alone', few, alone),
          ...processorOf('load', many, load),
        };
      },
      async close() {
        await counter.close();
        await executed.stop();
      },
    };
  },
};

/** Milliseconds for one run, by figure. */
function processorOf(when: string, runs: number, { processor }: Counts): Numbers {
  return Object.fromEntries(Object.entries(processor).map(([part, ms]) => [`${when} ${part}`, ms / runs]));
}

export interface Counter {
  now(): Promise<Counts>;
  close(): Promise<void>;
}

/** @param pids by name, of processes whose time is counted */
export async function counterOf(databaseUrl: string, pids: Record<string, number> = {}): Promise<Counter> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  return { now: () => countsOf(client, pids), close: () => client.end() };
}

/** What is counted when nothing is asked for, for each millisecond. */
export async function perMillisecond(counter: Counter, forMs: number): Promise<Counts> {
  const [before, startedAt] = [await counter.now(), performance.now()];
  await pause(forMs);
  const { commits, statements, rows, wal, processor } = difference(before, await counter.now());
  const ms = performance.now() - startedAt;
  return {
    commits: (commits - 1) / ms,
    statements: (statements - 1) / ms,
    rows: rows / ms,
    wal: wal / ms,
    processor,
  };
}
