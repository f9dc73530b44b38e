import { migrate, openDatabase, type OpenDatabase, type Submitter } from '@proctor/database';
import type { Write } from '@proctor/dispatch';
import { Client } from 'pg';
import { narrowIds } from '../support/narrow-ids';
import { request, someRequestor } from './submitting';

/** How long somebody waited, in milliseconds, one number for each time. */
type Waits = number[];

/** For how long the same is measured without a migration. */
const BASELINE_MS = 20_000;

const ARCH = 'amd64';

/**
 * Generates finished runs in the tables of before ids had 64 bits, migrates them while clients submit and a dispatcher
 * commits turns through the product's own code, and yields rows of a table: how long each waited at most.
 */
export async function* migrating(url: string, runs: number): AsyncGenerator<string> {
  const { database, submitter } = await someRequestor(url);
  try {
    await narrowIds(url);
    const startOfFilling = performance.now();
    await fill(url, runs, submitter);
    yield `| ${runs} runs, ${runs} attempts, ${4 * runs} facts | generated in s | ${seconds(startOfFilling)} |`;
    const before = await busyDuring(
      database,
      submitter,
      () => new Promise((resolve) => setTimeout(resolve, BASELINE_MS)),
    );
    yield* rows('no migration', before);
    const start = performance.now();
    const during = await busyDuring(database, submitter, () =>
      migrate(url, { progress: (line) => console.error(`${seconds(start)} s: ${line}`) }),
    );
    yield `| migration | s | ${seconds(start)} |`;
    yield* rows('migration', during);
    yield await check(url, runs + before.submissions.length + during.submissions.length);
  } finally {
    await database.close();
  }
}

/** Does the work while others are busy, and tells how long they waited. */
async function busyDuring(
  database: OpenDatabase,
  submitter: Submitter,
  work: () => Promise<unknown>,
): Promise<{ submissions: Waits; turns: Waits }> {
  const busy = { isOver: false };
  const fresh: number[] = [];
  const submissions = repeat(busy, async () => {
    fresh.push(...(await database.submissions.submit([request(fresh.length)], submitter)));
  });
  const turns = repeat(busy, () => turn(database, fresh.splice(0, 20)));
  try {
    await work();
  } finally {
    busy.isOver = true;
  }
  return { submissions: await submissions, turns: await turns };
}

async function repeat(busy: { isOver: boolean }, work: () => Promise<void>): Promise<Waits> {
  const waits: Waits = [];
  while (!busy.isOver) {
    const start = performance.now();
    await work();
    waits.push(performance.now() - start);
    // Leaves the processor to others: a client that never rests measures itself.
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return waits;
}

/** What a dispatcher writes of runs from being taken in to their end. */
async function turn(database: OpenDatabase, runIds: number[]): Promise<void> {
  const ownership = (await database.ownershipRegister.claim(ARCH, 'bench', 60_000))!;
  const outcome = {
    ...{
      verdict: 'pass' as const,
      message: 'all tests passed',
      exitCode: 0,
      version: '1',
      durationSeconds: 1,
    },
    ...{ files: [], tests: [] },
  };
  const lives: ((runId: number) => Write)[] = [
    (runId) => ({ kind: 'take-in', runId }),
    (runId) => ({ kind: 'grant', runId, attempt: 1, worker: 'w', incarnation: 'i', slot: 0 }),
    (runId) => ({ kind: 'start', runId, attempt: 1 }),
    (runId) => ({ kind: 'finish', runId, attempt: 1, attemptOutcome: 'finished', outcome, worker: 'w' }),
  ];
  const writes = lives.flatMap((write) => runIds.map(write));
  await database.journal.commit(ARCH, ownership.epoch, writes);
}

function* rows(
  during: string,
  { submissions, turns }: { submissions: Waits; turns: Waits },
): Generator<string> {
  for (const [what, waits] of [
    ['submission', submissions],
    ['turn', turns],
  ] as const) {
    const sorted = [...waits].sort((a, b) => a - b);
    const at = (share: number) => (sorted[Math.ceil(share * sorted.length) - 1] ?? NaN).toFixed(0);
    yield `| ${during}: ${what} of ${waits.length}, median, 99 of 100, longest | ms | ${at(0.5)}, ${at(0.99)}, **${at(1)}** |`;
  }
}

const PORTION = 500_000;

/** Without indexes and foreign keys meanwhile, which are quicker made at once. */
async function fill(url: string, runs: number, { userId, keyId }: Submitter): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(INDEXES);
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    await client.query(`set session_replication_role = replica; set synchronous_commit = off;
      set maintenance_work_mem = '256MB'`);
    for (let from = 1; from <= runs; from += PORTION) {
      const to = Math.min(runs, from + PORTION - 1);
      for (const statement of [RUNS, ATTEMPTS, FACTS, ORDERS])
        await client.query(
          statement
            .replaceAll(':from', String(from))
            .replaceAll(':to', String(to))
            .replaceAll(':user', String(userId))
            .replaceAll(':key', String(keyId)),
        );
      console.error(`${to} runs generated`);
    }
    await client.query(`select setval('runs_run_id_seq', ${runs})`);
    for (const { definition } of indexes) await client.query(definition);
    for (const table of ['runs', 'attempts', 'facts', 'orders'])
      await client.query(`vacuum (analyze) ${table}`);
  } finally {
    await client.end();
  }
}

const INDEXES = `select c.relname as name, pg_get_indexdef(i.indexrelid) as definition
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where i.indrelid = any('{runs,attempts,facts,orders}'::regclass[]) and not i.indisprimary`;

const RUNS = `
  insert into runs (run_id, package, suite, arch, backend, variant, priority, trigger, pin_packages, extra_apt_sources,
    is_private, requestor_id, api_key_id, state, verdict, attempt, taken_in, version, message, exit_code, worker,
    duration_seconds, log_size, created_at, updated_at, started_at, finished_at)
  select n, 'package' || n % 30000, (array['sid', 'trixie', 'forky'])[1 + n % 3], (array['amd64', 'arm64'])[1 + n % 2],
    'unshare', 'autopkgtest', 5, 'glibc/2.42-' || n % 50, '[]', '[]', n % 50 = 0, :user, :key, 'finished',
    case when n % 7 = 0 then 'fail' else 'pass' end, 1, true, '1.' || n % 90 || '-1', 'all tests passed', 0,
    'worker' || n % 40, n % 900, 12000 + n % 5000, t, t + interval '20 min', t + interval '5 min', t + interval '20 min'
  from generate_series(:from, :to) n,
    lateral (select timestamptz '2024-01-01' + n * interval '5 seconds' as t) at`;

const ATTEMPTS = `
  insert into attempts (run_id, attempt, worker, incarnation, slot, epoch, granted_at, started_at, ended_at, outcome,
    verdict, exit_code, log_size)
  select run_id, 1, worker, 'a3c1b0de-0000-4000-8000-000000000000', 1, 3, started_at, started_at, finished_at, 'finished',
    verdict, exit_code, log_size
  from runs where run_id between :from and :to`;

const FACTS = `
  insert into facts (run_id, arch, suite, kind, state, attempt, actor, verdict, at, published)
  select run_id, arch, suite, fact.kind, fact.state, least(place - 1, 1), fact.actor, case when place = 4 then verdict end,
    fact.at, true
  from runs, lateral (values (1, 'requested', 'queued', 'user bench', created_at),
    (2, 'granted', 'leased', 'scheduler', started_at), (3, 'started', 'running', 'worker ' || worker, started_at),
    (4, 'finished', 'finished', 'worker ' || worker, finished_at)) as fact(place, kind, state, actor, at)
  where run_id between :from and :to order by run_id, place`;

const ORDERS = `
  insert into orders (arch, kind, run_id, actor_id, created_at, taken_in)
  select arch, 'cancel', run_id, :user, created_at, true from runs
  where run_id between :from and :to and run_id % 100 = 0`;

/** @throws Error when a row is missing, or something is left of the migration */
async function check(url: string, runs: number): Promise<string> {
  const database = await openDatabase(url);
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: found } = await client.query<Record<string, string>>(`select
      (select count(*) from runs) as runs,
      (select count(*) from facts where kind = 'requested') as stories,
      (select count(*) from pg_class where relname like '%\\_wide' or relname like '%\\_narrow') as rests,
      (select count(*) from pg_constraint where not convalidated) as unchecked,
      (select data_type from information_schema.columns where table_name = 'runs' and column_name = 'run_id') as type`);
    const expected = {
      runs: String(runs),
      stories: String(runs),
      rests: '0',
      unchecked: '0',
      type: 'bigint',
    };
    if (JSON.stringify(found[0]) !== JSON.stringify(expected))
      throw new Error(`after the migration: ${JSON.stringify(found[0])} and not ${JSON.stringify(expected)}`);
    return `| runs afterwards, none missing | runs | ${runs} |`;
  } finally {
    await client.end();
    await database.close();
  }
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(0);
}
