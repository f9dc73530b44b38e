import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connectBus } from '@proctor/bus';
import { Client } from 'pg';
import { INSERT_ONE, makeBareTable } from '../bare/table';
import { HttpClient } from '../client';
import { ARCH, BACKEND, Deployment, SUITE, VARIANT } from '../deployment';
import { percentile } from '../judging';
import type { Numbers, Row } from '../row';

const WORKER = 'machine';
const STUB = resolve('test/stub/autopkgtest-stub');
const SUBJECT = 'bench.echo';

/** The first thing that the started process does is a file, which is waited for in the same way for both. */
export const startLatency: Row = {
  name: 'start-latency',
  what: "submit until the runner's process is started, idle system",
  against: 'a bare NATS request and reply, one commit, one spawn',
  figures: [
    { what: 'median', unit: 'ms', of: 'p50', against: 'p50', mark: { atMost: 2 } },
    { what: '99 of 100', unit: 'ms', of: 'p99', against: 'p99', by: 'difference', mark: { atMost: 30 } },
  ],
  rounds: 3,
  async open(place) {
    const deployment = await Deployment.start(place, { schedulers: 1, workers: [WORKER] });
    const marks = join(deployment.folder, 'marks');
    await mkdir(marks);
    // Tests run as another user.
    await chmod(marks, 0o777);
    await deployment.worker(WORKER, {
      ...{ slots: 2, architectures: [ARCH], suitesAtStart: [SUITE], backends: [BACKEND] },
      ...{ machineMayBeDestroyed: true, workPath: join(deployment.folder, 'work'), visiblePaths: [marks] },
      variants: { [VARIANT]: ['sh', '-c', `: > "${marks}/$$"; exec ${STUB} "$@"`, 'runner'] },
    });
    const client = new HttpClient(deployment.url, { 'Auth-Key': deployment.key });
    const bare = await openBare(deployment, marks);
    const times = place.size(40, 2);
    return {
      measured: () =>
        many(times, marks, async () => {
          const { text } = await client.mustPost(`/api/v1/test/${SUITE}/${ARCH}/hello`, undefined);
          const [{ run_id: runId }] = (JSON.parse(text) as { runs: [{ run_id: number }] }).runs;
          return () => untilFinished(client, runId);
        }),
      bare: () => many(times, marks, () => bare.start()),
      async close() {
        client.close();
        await bare.close();
        await deployment.stop();
      },
    };
  },
};

async function openBare(deployment: Deployment, marks: string) {
  const operator = await deployment.users.operator();
  const [asks, answers] = [await connectBus(operator), await connectBus(operator)];
  answers.subscribe(SUBJECT, ({ respond }) => respond?.('{}'));
  await answers.flush();
  const database = new Client({ connectionString: deployment.databaseUrl });
  await database.connect();
  await makeBareTable(database);
  const { userId, keyId } = deployment.submitter;
  return {
    async start(): Promise<() => Promise<void>> {
      await asks.request(SUBJECT, {}, 5_000);
      await database.query({ name: 'insert', text: INSERT_ONE, values: ['hello', userId, keyId] });
      const child = spawn('sh', ['-c', `: > "${marks}/$$"`], { stdio: 'ignore' });
      return () => new Promise((settle) => child.once('exit', () => settle()));
    },
    async close(): Promise<void> {
      await Promise.all([asks.close(), answers.close(), database.end()]);
    },
  };
}

/** Milliseconds until something appears in the folder, one start after the other. */
async function many(
  times: number,
  marks: string,
  start: () => Promise<() => Promise<void>>,
): Promise<Numbers> {
  const took: number[] = [];
  for (let turn = 0; turn < times; turn += 1) {
    const watcher = watch(marks);
    const marked = new Promise<number>((resolveTime) =>
      watcher.once('change', () => resolveTime(performance.now())),
    );
    const startedAt = performance.now();
    const end = await start();
    took.push((await marked) - startedAt);
    watcher.close();
    await end();
    // The next one finds a system that has come to rest.
    await pause(20);
  }
  return { p50: percentile(took, 0.5), p99: percentile(took, 0.99) };
}

async function untilFinished(client: HttpClient, runId: number): Promise<void> {
  for (;;) {
    const { text } = await client.mustGet(`/api/v1/test/${runId}`);
    if ((JSON.parse(text) as { state: string }).state === 'finished') return;
    await pause(10);
  }
}
