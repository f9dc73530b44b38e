import { HttpClient } from '../client';
import { ARCH, Deployment, SUITE } from '../deployment';
import { AT_ONCE } from '../peers/plan';
import { peerRate } from '../peers/start';
import type { Row } from '../row';

const LIST_LENGTH = 5_000;
/** Slots in all are as many as the jobs that a peer has in hand at a time. */
const WORKERS = Array.from({ length: 6 }, (_none, index) => `executor${index}`);

/**
 * From the first submission until the last result is readable. The peers' jobs are added in lists too, each is fetched and
 * completed by itself, by as many at once as there are slots.
 */
export const controlPlane: Row = {
  name: 'control-plane',
  what: 'submitted, leased, started, finished, readable; executors that do nothing',
  against: 'no-op jobs on the same PostgreSQL, one job a fetch',
  figures: [
    { what: 'runs', unit: '1/s', of: 'rate', mark: { atLeast: 1_000 } },
    { what: 'beside pg-boss', unit: '1/s', of: 'rate', against: 'pgBoss', mark: { atLeast: 1 } },
    { what: 'beside graphile-worker', unit: '1/s', of: 'rate', against: 'graphile', mark: { atLeast: 0.5 } },
  ],
  rounds: 3,
  async open(place) {
    const runs = place.size(5_000, 60);
    const deployment = await Deployment.start(place, { schedulers: 1, workers: WORKERS });
    const peers = await place.database();
    const client = new HttpClient(deployment.url, { 'Auth-Key': deployment.key });
    let recorded = 0;
    let told = (): void => undefined;
    await deployment.executors(WORKERS, { slots: AT_ONCE / WORKERS.length }, (news) => {
      recorded += news.recorded;
      told();
    });
    const reached = (count: number) =>
      new Promise<void>((resolve) => {
        told = () => recorded >= count && resolve();
        told();
      });
    return {
      async measured() {
        const target = recorded + runs;
        const startedAt = performance.now();
        let last = 0;
        for (let from = 0; from < runs; from += LIST_LENGTH)
          last = await submit(client, Math.min(LIST_LENGTH, runs - from));
        await reached(target);
        await mustBeFinished(client, last);
        return { rate: (runs / (performance.now() - startedAt)) * 1000 };
      },
      bare: async () => ({
        graphile: await peerRate('graphile-worker', peers.url, runs, deployment.folder),
        pgBoss: await peerRate('pg-boss', peers.url, runs, deployment.folder),
      }),
      async close() {
        client.close();
        await deployment.stop();
        await peers.drop();
      },
    };
  },
};

/** @returns the id of the last run */
async function submit(client: HttpClient, length: number): Promise<number> {
  const items = Array.from({ length }, (_none, index) => ({ package: `package${index}` }));
  const { text } = await client.mustPost(`/api/v1/test/${SUITE}/${ARCH}`, items);
  return (JSON.parse(text) as { runs: { run_id: number }[] }).runs.at(-1)!.run_id;
}

async function mustBeFinished(client: HttpClient, runId: number): Promise<void> {
  const { text } = await client.mustGet(`/api/v1/test/${runId}`);
  const { state } = JSON.parse(text) as { state: string };
  if (state !== 'finished') throw new Error(`the run ${runId} was recorded and is ${state}`);
}
