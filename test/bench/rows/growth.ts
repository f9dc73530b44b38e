import { Client } from 'pg';
import { generateFinishedRuns } from '@test/generator/finished-runs';
import { type HttpClient, rateOf } from '../client';
import { countsOf, difference } from '../database-counts';
import { ARCH, SUITE } from '../deployment';
import { ExecutedDeployment } from '../executed';
import { spreadOf } from '../judging';
import { AT_ONCE } from '../peers/plan';
import type { Place } from '../place';
import type { Numbers, Row } from '../row';

/** Finished runs that the database has. */
export const SIZES = [1_000, 10_000, 100_000, 1_000_000];

/** Served by the api, and by no executor: what is submitted for it waits. */
const IDLE_ARCH = 'arm64';

/** What one of something costs; drawn as curves. */
export const COSTS: Record<string, { what: string; unit: string }> = {
  item: { what: 'an item of a list of 5,000', unit: 'µs' },
  request: { what: 'a single request at 1 connection', unit: 'ms' },
  statements: { what: 'statements of a single request', unit: '' },
  run: { what: 'a run from submitted to readable', unit: 'ms' },
};

export const nameOf = (cost: string, size: number): string => `${cost} ${size}`;

/** Whether what the first rows measure stays the same while the table of runs grows. */
export const growth: Row = {
  name: 'growth',
  what: 'cost per unit with so many finished runs',
  against: `the same with ${SIZES[0]!.toLocaleString('en')}`,
  figures: Object.entries(COSTS).flatMap(([cost, { what, unit }]) =>
    SIZES.slice(1).map((size) => ({
      what: `${what}, ${size.toLocaleString('en')} runs`,
      ...{ unit, of: nameOf(cost, size), against: nameOf(cost, SIZES[0]!) },
      mark: size === SIZES.at(-1) ? { atMost: 1.2 } : null,
    })),
  ),
  rounds: 3,
  isLarge: true,
  async open(place) {
    // Tiny sizes show no difference: one deployment stands for all that are compared.
    const sizes = place.isQuick ? [100] : SIZES;
    const grown: Grown[] = [];
    for (const size of sizes) grown.push(await Grown.open(place, size));
    const grownOf = (index: number): Grown => grown[Math.min(index, grown.length - 1)]!;
    const measure = async (from: number, to: number): Promise<Numbers> => {
      const numbers: Numbers = {};
      for (let index = from; index < to; index += 1)
        for (const [cost, value] of Object.entries(await grownOf(index).costs()))
          numbers[nameOf(cost, SIZES[index]!)] = value;
      return numbers;
    };
    return {
      measured: () => measure(1, SIZES.length),
      bare: () => measure(0, 1),
      async close() {
        for (const each of grown) await each.close();
      },
    };
  },
};

class Grown {
  private constructor(
    private readonly place: Place,
    private readonly executed: ExecutedDeployment,
    private readonly counter: Client,
  ) {}

  static async open(place: Place, runs: number): Promise<Grown> {
    const shape = { workers: 6, slots: AT_ONCE / 6 };
    const executed = await ExecutedDeployment.start(place, shape, {
      server: { architectures: [ARCH, IDLE_ARCH] },
      fill: async (databaseUrl) => {
        const client = new Client({ connectionString: databaseUrl });
        await client.connect();
        await generateFinishedRuns(client, {
          ...{ runs, seed: 1, suites: [SUITE], architectures: [ARCH], packages: 500 },
          ...{ until: new Date(), days: Math.max(1, runs / 34_000) },
        });
        await client.end();
      },
    });
    const counter = new Client({ connectionString: executed.deployment.databaseUrl });
    await counter.connect();
    return new Grown(place, executed, counter);
  }

  /** The measured costs; the keys are the names in COSTS. */
  async costs(): Promise<Numbers> {
    const { place, executed } = this;
    const items = place.size(5_000, 50);
    const runs = place.size(2_000, 50);
    const runMs = await timed(() => executed.execute(runs));
    const list = Array.from({ length: items }, (_none, index) => ({ package: `package${index}` }));
    const client: HttpClient = executed.client;
    const listMs: number[] = [];
    for (let turn = 0; turn < 3; turn += 1)
      listMs.push(await timed(() => client.mustPost(`/api/v1/test/${SUITE}/${IDLE_ARCH}`, list)));
    const requests = place.size(200, 10);
    const before = await countsOf(this.counter, {});
    const perSecond = await rateOf(requests, 1, () =>
      client.mustPost(`/api/v1/test/${SUITE}/${IDLE_ARCH}/hello`, undefined),
    );
    const { statements } = difference(before, await countsOf(this.counter, {}));
    return {
      item: (spreadOf(listMs).median * 1_000) / items,
      request: 1_000 / perSecond,
      statements: (statements - 1) / requests,
      run: runMs / runs,
    };
  }

  async close(): Promise<void> {
    await this.counter.end();
    await this.executed.stop();
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
