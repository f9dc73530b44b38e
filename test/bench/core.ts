import { join } from 'node:path';
import { Client } from 'pg';
import { CoreDeployment, type CoreShape } from './core-deployment';
import { type Counts, countsOf, difference } from './core-counts';

/** Sent as lists: an archive's upload triggers so many tests at a time, or more. */
const LIST_LENGTH = 500;
/** Executed before anything is counted. */
const WARM_UP_RUNS = 1_000;
const ALONE_RUNS = 100;

export interface CoreOptions extends CoreShape {
  runs: number;
  rounds: number;
}

/** The control plane from submitted to recorded, with executors that do nothing: rows of a table in Markdown. */
export async function* core(
  folder: string,
  databaseUrl: string,
  postgresPid: number,
  { runs, rounds, ...shape }: CoreOptions,
): AsyncGenerator<string> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('create extension if not exists pg_stat_statements');
  client.on('error', () => undefined);
  const deployment = await CoreDeployment.start(join(folder, 'core'), databaseUrl, shape);
  const { schedulerPid: scheduler, natsPid: nats, executorsPid: executors } = deployment;
  const pids = { scheduler, nats, executors, postgres: postgresPid };
  try {
    yield HEAD;
    await executed(deployment, WARM_UP_RUNS);
    for (let round = 0; round < rounds; round += 1) {
      const before = await countsOf(client, pids);
      deployment.leaseMs = [];
      const startedAt = performance.now();
      await executed(deployment, runs);
      const seconds = (performance.now() - startedAt) / 1000;
      yield row(`${runs} runs`, runs, runs / seconds, difference(before, await countsOf(client, pids)));
    }
    await client.query('select pg_stat_statements_reset()');
    const before = await countsOf(client, pids);
    const startedAt = performance.now();
    for (let run = 0; run < ALONE_RUNS; run += 1) await executed(deployment, 1);
    const seconds = (performance.now() - startedAt) / 1000;
    const counted = difference(before, await countsOf(client, pids));
    yield row('one after the other', ALONE_RUNS, ALONE_RUNS / seconds, counted);
  } finally {
    await client.end();
    await deployment.stop();
  }
}

async function executed(deployment: CoreDeployment, runs: number): Promise<void> {
  const until = deployment.recorded + runs;
  await deployment.submit(runs, LIST_LENGTH);
  await deployment.untilRecorded(until);
}

const HEAD =
  '| what | runs/s | commits | statements | row versions | WAL bytes | ms scheduler | nats | executors | postgres |\n' +
  '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |';

/** All but the speed for one run. */
function row(what: string, runs: number, speed: number, counts: Counts): string {
  const { scheduler, nats, executors, postgres } = counts.processor;
  const each = [
    speed.toFixed(0),
    (counts.commits / runs).toFixed(2),
    (counts.statements / runs).toFixed(1),
    (counts.rows / runs).toFixed(1),
    (counts.wal / runs).toFixed(0),
    ...[scheduler, nats, executors, postgres].map((ms) => ((ms ?? 0) / runs).toFixed(2)),
  ];
  return `| ${[what, ...each].join(' | ')} |`;
}
