import { jetstreamManager } from '@nats-io/jetstream';
import { connect, nkeyAuthenticator } from '@nats-io/transport-node';
import type { Credentials } from '@proctor/bus';
import { Client } from 'pg';
import type { SoakDeployment } from './deployment';
import type { Records } from './records';

const REPORT_FILE = 'report.json';
const RUNS_LISTED_MAX = 30;
const REQUEST_TIMEOUT_MS = 10_000;

/** What is needed to find out why a soak failed. */
interface Report {
  /** Unfinished runs by state, architecture, variant and worker. */
  unfinished: object[];
  /** Owners and epochs. */
  dispatchers: object[];
  queues: unknown;
  workers: unknown;
  judgements: object[];
  streams: unknown;
  runs: object[];
}

/**
 * Asks every part what it knows while the deployment still runs, and writes it down.
 * @returns lines that sum it up
 */
export async function report(deployment: SoakDeployment, records: Records): Promise<string[]> {
  const client = new Client({ connectionString: deployment.postgres.url, query_timeout: REQUEST_TIMEOUT_MS });
  await client.connect();
  const rows = async (sql: string, ...values: unknown[]) => (await client.query<object>(sql, values)).rows;
  try {
    const missing = (await rows(MISSING, RUNS_LISTED_MAX)) as { run_id: number }[];
    const soakReport: Report = {
      unfinished: await rows(UNFINISHED),
      dispatchers: await rows(DISPATCHERS),
      queues: await ask(deployment, '/api/v1/queues'),
      workers: await ask(deployment, '/api/v1/workers'),
      judgements: await rows('select * from worker_judgements order by 1'),
      streams: await deployment.users.operator().then(streams).catch(String),
      runs: [],
    };
    for (const run of missing) {
      soakReport.runs.push({
        row: run,
        attempts: await rows('select * from attempts where run_id = $1 order by attempt', run.run_id),
        facts: await rows('select * from facts where run_id = $1 order by fact_id', run.run_id),
        asked: await ask(deployment, `/api/v1/test/${run.run_id}`),
      });
    }
    await records.write(REPORT_FILE, soakReport);
    return summary(soakReport);
  } finally {
    await client.end();
  }
}

function summary({ unfinished, dispatchers, queues, workers, streams, runs }: Report): string[] {
  const line = (what: string, value: unknown) => `  ${what}: ${JSON.stringify(value)}`;
  return [
    ...unfinished.map((each) => line('unfinished', each)),
    ...dispatchers.map((each) => line('dispatcher', each)),
    ...listOf(queues, 'queues').map((each) => line('queue', each)),
    ...listOf(workers, 'workers').map((each) => line('worker', each)),
    ...(Array.isArray(streams) ? streams.map((each) => line('stream', each)) : [line('streams', streams)]),
    ...runs.slice(0, 3).map((each) => line('run', each)),
  ];
}

/** The list of an answer; the answer itself when it is another. */
function listOf(answer: unknown, key: string): unknown[] {
  if (Array.isArray(answer)) return answer;
  const list = (answer as Record<string, unknown> | null)?.[key];
  return Array.isArray(list) ? list : [answer];
}

/** The answer; the reason where there is none. */
async function ask({ url, key }: SoakDeployment, path: string): Promise<unknown> {
  try {
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const response = await fetch(`${url}${path}`, { headers: { 'Auth-Key': key }, signal });
    return response.ok ? await response.json() : `${response.status}: ${await response.text()}`;
  } catch (error) {
    return String(error);
  }
}

/** What each stream holds, and what each of its consumers has not acknowledged. */
async function streams({ name, url, seed }: Credentials): Promise<object[]> {
  const nc = await connect({
    servers: new URL(url).host,
    authenticator: nkeyAuthenticator(Buffer.from(seed)),
    inboxPrefix: `_INBOX.${name}`,
    timeout: REQUEST_TIMEOUT_MS,
  });
  try {
    const jsm = await jetstreamManager(nc, { timeout: REQUEST_TIMEOUT_MS });
    const entries: object[] = [];
    for await (const { config, state } of jsm.streams.list()) {
      const consumers: object[] = [];
      for await (const each of jsm.consumers.list(config.name)) {
        const { name, num_pending, num_ack_pending, num_redelivered, num_waiting } = each;
        consumers.push({ name, num_pending, num_ack_pending, num_redelivered, num_waiting });
      }
      const { messages, bytes, first_seq, last_seq } = state;
      entries.push({
        name: config.name,
        max_bytes: config.max_bytes,
        messages,
        bytes,
        first_seq,
        last_seq,
        consumers,
      });
    }
    return entries;
  } finally {
    await nc.close();
  }
}

const MISSING = `select * from runs where state <> 'finished' order by run_id limit $1`;

const UNFINISHED = `
  select state, arch, suite, variant, worker, count(*)::integer as count, min(run_id) as first,
    max(attempt) as attempts_max
  from runs where state <> 'finished' group by state, arch, suite, variant, worker order by count desc`;

const DISPATCHERS = `select *, now() as now from dispatchers order by arch`;
