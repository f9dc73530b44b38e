import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { AppProcess } from '@proctor/embedded';
import { difference } from '../database-counts';
import { ARCH, BACKEND, Deployment, SUITE, VARIANT } from '../deployment';
import { ExecutedDeployment } from '../executed';
import { processorMs, residentMiB } from '../process-use';
import type { Figure, Numbers, Row } from '../row';
import { counterOf } from './counts';

const WORKER = 'machine';
const PARTS = ['api', 'scheduler', 'worker'];
/** Until what begins with a process has come to its end. */
const SETTLING_MS = 20_000;

export const idle: Row = {
  name: 'idle',
  what: 'nothing to do, one architecture',
  against: null,
  figures: [
    ...PARTS.flatMap((part): Figure[] => [
      { what: `${part}, memory`, unit: 'MiB', of: `${part} MiB`, mark: { atMost: 120 } },
      { what: `${part}, of a processor`, unit: '%', of: `${part} %`, mark: { atMost: 0.5 } },
    ]),
    { what: 'statements', unit: '1/s', of: 'statements', mark: { atMost: 2 } },
  ],
  rounds: 2,
  async open(place) {
    const deployment = await Deployment.start(place, { schedulers: 1, workers: [WORKER] });
    const worker = await deployment.worker(WORKER, {
      ...{ slots: 2, architectures: [ARCH], suitesAtStart: [SUITE], backends: [BACKEND] },
      ...{ machineMayBeDestroyed: true, workPath: join(deployment.folder, 'work') },
      variants: { [VARIANT]: ['true'] },
    });
    const counter = await counterOf(deployment.databaseUrl);
    const pids = [deployment.api, deployment.schedulers[0]!, worker].map((app) => app.pid!);
    await pause(place.size(SETTLING_MS, 0));
    return {
      async measured() {
        const [before, startedAt] = [await counter.now(), performance.now()];
        const used = await Promise.all(pids.map(processorMs));
        await pause(place.size(20_000, 1_000));
        const ms = performance.now() - startedAt;
        const after = await Promise.all(pids.map(processorMs));
        const { statements } = difference(before, await counter.now());
        const numbers: Numbers = { statements: ((statements - 1) / ms) * 1000 };
        for (const [place, part] of PARTS.entries()) {
          numbers[`${part} %`] = ((after[place]! - used[place]!) / ms) * 100;
          numbers[`${part} MiB`] = await residentMiB(pids[place]!);
        }
        return numbers;
      },
      async close() {
        await counter.close();
        await deployment.stop();
      },
    };
  },
};

/** Processor time of the scheduler while one run a second is submitted, by so many workers of four slots each. */
export const manyWorkers: Row = {
  name: 'many-workers',
  what: '500 idle workers with 4 slots each, one submit a second: processor time of the scheduler',
  against: 'the same with 5 workers',
  figures: [{ what: '', unit: 'ms/s', of: 'ms', against: 'ms', mark: { atMost: 1.5 } }],
  rounds: 3,
  async open(place) {
    const open = (workers: number) => ExecutedDeployment.start(place, { workers, slots: 4 });
    const many = await open(place.size(500, 6));
    const few = await open(5);
    await pause(place.size(SETTLING_MS, 0));
    const seconds = place.size(10, 1);
    const measure = async (executed: ExecutedDeployment) => ({
      ms: (await used(executed.deployment.schedulers[0]!, () => eachSecond(executed, seconds))) / seconds,
    });
    return {
      measured: () => measure(many),
      bare: () => measure(few),
      async close() {
        await many.stop();
        await few.stop();
      },
    };
  },
};

async function used(app: AppProcess, work: () => Promise<void>): Promise<number> {
  const before = await processorMs(app.pid!);
  await work();
  return (await processorMs(app.pid!)) - before;
}

async function eachSecond(executed: ExecutedDeployment, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) await Promise.all([executed.execute(1), pause(1_000)]);
}
