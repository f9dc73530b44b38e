import { Client } from 'pg';
import { generateFinishedRuns } from '@test/generator/finished-runs';
import { packageNames } from '@test/generator/packages';
import { HttpClient } from '../client';
import { Deployment } from '../deployment';
import { spreadOf } from '../judging';
import type { Place } from '../place';
import type { Figure, Numbers, Row } from '../row';

const SUITES = ['sid', 'trixie'];
const ARCHITECTURES = ['amd64', 'arm64', 'i386', 'riscv64'];
const PACKAGES = 2_000;
/** Requests of each page in each round. */
const REQUESTS = 7;
const QUICK_REQUESTS = 2;

/** What is read of a package, whose first letter is its prefix, and of a suite and architecture. */
const PAGES: Record<string, (name: string) => string> = {
  'history page': (name) => `/packages/${name[0]}/${name}/sid/amd64/`,
  'latest.json': (name) => `/data/packages/sid/amd64/${name[0]}/${name}/latest.json`,
  'history.json': (name) => `/data/packages/sid/amd64/${name[0]}/${name}/history.json`,
  'packages.json': () => '/data/status/sid/amd64/packages.json',
  'status page': () => '/status/sid/amd64/',
  'status history.json': () => '/data/status/sid/amd64/history.json',
  'packages of a prefix': (name) => `/packages/${name[0]}/`,
  // A letter that many names have: a search that finds one package leads to it.
  search: (name) => `/packages/-/search?query=${name.charAt(2)}`,
  'package page': (name) => `/packages/${name[0]}/${name}/`,
  'first page': () => '/',
};

/** A row that compares two databases with so many finished runs of the same packages. */
function publicPages(name: string, manyRuns: number, fewRuns: number, isLarge: boolean): Row {
  const figure = (of: string): Figure => ({
    ...{ what: of, unit: 'ms', of, against: of, mark: { atMost: 1.3 } },
  });
  return {
    name,
    what: `public data of ${manyRuns.toLocaleString('en')} finished runs`,
    against: `the same of ${fewRuns.toLocaleString('en')}`,
    figures: Object.keys(PAGES).map(figure),
    rounds: 9,
    ...(isLarge && ({ isLarge, isNeverQuick: true } as const)),
    async open(place) {
      const many = await Pages.open(place, place.size(manyRuns, 2_000));
      // Tiny sizes show no difference: one deployment stands for both.
      const few = place.isQuick ? many : await Pages.open(place, fewRuns);
      return {
        measured: () => many.timed(),
        bare: () => few.timed(),
        async close() {
          for (const each of new Set([many, few])) await each.close();
        },
      };
    },
  };
}

export const publicPagesRows: Row[] = [
  publicPages('public-pages', 500_000, 50_000, false),
  publicPages('public-pages-5m', 5_000_000, 50_000, true),
];

class Pages {
  private turn = 0;

  private constructor(
    private readonly deployment: Deployment,
    private readonly client: HttpClient,
    private readonly names: string[],
    private readonly requests: number,
  ) {}

  static async open(place: Place, runs: number): Promise<Pages> {
    const packages = place.size(PACKAGES, 50);
    const deployment = await Deployment.start(place, {
      architectures: ARCHITECTURES,
      server: { suites: SUITES },
      // Nothing is remembered, and lists are as long for both.
      api: { publicAgeMaxMs: 0, historyLengthMax: 50 },
      fill: async (databaseUrl) => {
        const database = new Client({ connectionString: databaseUrl });
        await database.connect();
        await generateFinishedRuns(database, {
          ...{ runs, seed: 1, suites: SUITES, architectures: ARCHITECTURES, packages, isBare: true },
          ...{ until: new Date(), days: Math.max(1, runs / 34_000) },
        });
        await database.end();
      },
    });
    // The first of them have more runs than a page shows, in both.
    return new Pages(
      deployment,
      new HttpClient(deployment.url),
      packageNames(3),
      place.size(REQUESTS, QUICK_REQUESTS),
    );
  }

  /** Milliseconds of each page, the median of some of different packages. */
  async timed(): Promise<Numbers> {
    const numbers: Numbers = {};
    for (const [title, pathOf] of Object.entries(PAGES)) {
      const times: number[] = [];
      for (let index = 0; index < this.requests; index += 1) {
        const path = pathOf(this.names[(this.turn++ * 37) % this.names.length]!);
        times.push((await this.client.mustGet(path)).totalMs);
      }
      numbers[title] = spreadOf(times).median;
    }
    return numbers;
  }

  async close(): Promise<void> {
    this.client.close();
    await this.deployment.stop();
  }
}
