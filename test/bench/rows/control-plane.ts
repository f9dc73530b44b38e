import { ExecutedDeployment } from '../executed';
import { AT_ONCE } from '../peers/plan';
import { peerRate } from '../peers/start';
import type { Row } from '../row';

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
    const executed = await ExecutedDeployment.start(place, { workers: 6, slots: AT_ONCE / 6 });
    const peers = await place.database();
    const { folder } = executed.deployment;
    return {
      async measured() {
        const startedAt = performance.now();
        await executed.execute(runs);
        return { rate: (runs / (performance.now() - startedAt)) * 1000 };
      },
      bare: async () => ({
        graphile: await peerRate('graphile-worker', peers.url, runs, folder),
        pgBoss: await peerRate('pg-boss', peers.url, runs, folder),
      }),
      async close() {
        await executed.stop();
        await peers.drop();
      },
    };
  },
};
