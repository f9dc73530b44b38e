import { setTimeout as pause } from 'node:timers/promises';
import { connectBus } from '@proctor/bus';
import type { Grant } from '@proctor/contracts';
import { Deployment } from '../deployment';
import { percentile } from '../judging';
import type { Row } from '../row';

const WORKERS = ['machine1', 'machine2', 'machine3', 'machine4'];
const CHUNK_BYTES = 5_000;
/** Between two chunks of a run. */
const CHUNK_EVERY_MS = 500;

/** Each run has a writer and a subscriber; the bytes begin with the time at which they were written. */
export const liveLog: Row = {
  name: 'live-log',
  what: 'live logs of 100 runs, 1 MB/s in all',
  against: null,
  figures: [
    { what: 'bytes read of those written', unit: '', of: 'share', mark: { atLeast: 1 } },
    { what: 'lag, 99 of 100', unit: 'ms', of: 'lagMs', mark: { atMost: 1_000 } },
    { what: 'written', unit: 'MB/s', of: 'rate', mark: null },
  ],
  rounds: 3,
  async open(place) {
    const runs = place.size(100, 8);
    const chunks = place.size(20, 2);
    const deployment = await Deployment.start(place, { workers: WORKERS });
    const reader = await connectBus(await deployment.users.read('api'));
    const writers = await Promise.all(
      WORKERS.map(async (name) => ({ name, bus: await connectBus(await deployment.users.read(name)) })),
    );
    const scheduler = await connectBus(await deployment.users.read('scheduler'), { makesStreams: true });
    for (const name of WORKERS) await scheduler.prepareWorker(name);
    let lastRun = 0;
    const follow = async (worker: string, grant: Grant, lags: number[]): Promise<number> => {
      let bytes = 0;
      let left = chunks;
      for await (const { data } of reader.readLog(worker, grant, 0)) {
        const text = Buffer.from(data, 'base64').toString();
        lags.push(performance.now() - Number.parseFloat(text));
        bytes += text.length;
        left -= 1;
        if (left === 0) break;
      }
      return bytes;
    };
    return {
      async measured() {
        const lags: number[] = [];
        const startedAt = performance.now();
        const each = Array.from({ length: runs }, async (_none, index) => {
          const { name, bus } = writers[index % writers.length]!;
          const grant = { runId: ++lastRun, attempt: 1, grantEpoch: 1 };
          const followed = follow(name, grant, lags);
          await pause((index / runs) * CHUNK_EVERY_MS);
          for (let chunk = 0; chunk < chunks; chunk += 1) {
            const data = Buffer.from(`${performance.now()} `.padEnd(CHUNK_BYTES, '.')).toString('base64');
            await Promise.all([
              bus.appendLog(name, grant, { chunk, offset: chunk * CHUNK_BYTES, data }),
              pause(CHUNK_EVERY_MS),
            ]);
          }
          const bytes = await followed;
          return bytes;
        });
        const read = (await Promise.all(each)).reduce((sum, bytes) => sum + bytes, 0);
        const written = runs * chunks * CHUNK_BYTES;
        const rate = written / 1_000 / (performance.now() - startedAt);
        return { share: read / written, lagMs: percentile(lags, 0.99), rate };
      },
      async close() {
        await Promise.all([reader.close(), scheduler.close(), ...writers.map(({ bus }) => bus.close())]);
        await deployment.stop();
      },
    };
  },
};
