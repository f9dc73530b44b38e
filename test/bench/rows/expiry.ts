import { EventEmitter, once } from 'node:events';
import { Client } from 'pg';
import { openDatabase } from '@proctor/database';
import { ExpiryPass, restMs } from '@proctor/retention';
import { FolderStore } from '@proctor/store';
import { generateFinishedRuns } from '@test/generator/finished-runs';
import { HttpClient, rateOf } from '../client';
import { ARCH, Deployment, SUITE } from '../deployment';
import type { Row } from '../row';

/** Finished runs over two years. Their rows have files that do not exist: what is measured is the database. */
const RUNS = Number(process.env['PROCTOR_BENCH_EXPIRY_RUNS'] ?? 10_000_000);
const CONNECTIONS = 8;
const REQUESTS = 4_000;
/** As `retention.timePercentMax` is by default. */
const TIME_PERCENT_MAX = Number(process.env['PROCTOR_BENCH_EXPIRY_PERCENT'] ?? 5);
const MIB = 1024 ** 2;

/** What requests feel of the removal of what is old. */
export const expiry: Row = {
  name: 'expiry',
  what: `single requests at ${CONNECTIONS} connections while what is old of ${RUNS.toLocaleString('en')} runs is removed`,
  against: 'the same while nothing is',
  figures: [
    { what: '95 of 100', unit: 'ms', of: 'p95', against: 'p95', mark: { atMost: 1.2 } },
    { what: 'median', unit: 'ms', of: 'median', against: 'median', mark: null },
    { what: 'runs that lost something meanwhile', unit: '1/s', of: 'removed', mark: null },
    { what: 'runs that have lost something in all', unit: '', of: 'removedInAll', mark: null },
    {
      what: '`facts` and `attempts`, with the room that new rows can take',
      unit: 'MiB',
      of: 'tables',
      mark: null,
    },
  ],
  rounds: 7,
  isLarge: true,
  async open(place) {
    const deployment = await Deployment.start(place, {
      fill: async (databaseUrl) => {
        const client = new Client({ connectionString: databaseUrl });
        await client.connect();
        await generateFinishedRuns(client, {
          ...{
            runs: place.size(RUNS, 3_000),
            seed: 1,
            suites: [SUITE, 'trixie'],
            architectures: [ARCH, 'arm64'],
          },
          ...{ packages: 20_000, until: new Date(), days: 730 },
        });
        await client.end();
      },
    });
    const database = await openDatabase(deployment.databaseUrl);
    const http = new HttpClient(deployment.url, { 'Auth-Key': deployment.key }, CONNECTIONS);
    const gate = new Gate();
    const pass = new ExpiryPass(
      database.expiry,
      new FolderStore(`${deployment.folder}/store`),
      {
        ...{ artifactsDays: 30, failedArtifactsDays: 90, logsDays: 180, storyDays: 400 },
        ...{ packageBytesMax: 200 * MIB, packages: {} },
      },
      {
        isRehearsal: false,
        pause: (workedMs) => gate.passed(workedMs),
        isEnded: () => gate.isEnded,
        now: () => new Date(),
      },
    );
    const removed = (): number =>
      pass.counts.stories + pass.counts.removedByRule.reduce((sum, { runs }) => sum + runs, 0);
    const passing = pass.run();
    passing.catch((error: unknown) => console.error(error)).finally(() => gate.end());
    const requests = async () => {
      const times: number[] = [];
      const before = removed();
      const from = performance.now();
      await rateOf(place.size(REQUESTS, 40), CONNECTIONS, async () => {
        const at = performance.now();
        await http.mustPost(`/api/v1/test/${SUITE}/${ARCH}/hello`, undefined);
        times.push(performance.now() - at);
      });
      const seconds = (performance.now() - from) / 1000;
      times.sort((a, b) => a - b);
      const at = (share: number): number => times[Math.ceil(share * times.length) - 1]!;
      return { p95: at(0.95), median: at(0.5), removed: (removed() - before) / seconds };
    };
    const sizes = new Client({ connectionString: deployment.databaseUrl });
    await sizes.connect();
    return {
      async measured() {
        gate.open();
        const times = await requests();
        await gate.close();
        const { rows } = await sizes.query<{ bytes: string }>(
          `select sum(pg_total_relation_size(each::regclass)) as bytes from unnest(array['facts', 'attempts']) each`,
        );
        return { ...times, removedInAll: removed(), tables: Number(rows[0]!.bytes) / MIB };
      },
      bare: requests,
      async close() {
        gate.end();
        await passing.catch(() => undefined);
        await sizes.end();
        http.close();
        await database.close();
        await deployment.stop();
      },
    };
  },
};

/** Between two batches the pass waits here: for its rest, and while it is closed until it is opened. */
class Gate {
  isEnded = false;
  private isOpen = false;
  private readonly events = new EventEmitter<{ opened: []; reached: [] }>();

  async passed(workedMs: number): Promise<void> {
    const ms = restMs(workedMs, TIME_PERCENT_MAX);
    if (this.isOpen) await new Promise((resolve) => setTimeout(resolve, ms));
    if (this.isOpen || this.isEnded) return;
    this.events.emit('reached');
    await once(this.events, 'opened');
  }

  open(): void {
    this.isOpen = true;
    this.events.emit('opened');
  }

  /** Resolves when a batch that was under way is done, too. */
  async close(): Promise<void> {
    this.isOpen = false;
    if (!this.isEnded) await once(this.events, 'reached');
  }

  /** From now on no one waits. */
  end(): void {
    this.isEnded = true;
    this.events.emit('opened');
    this.events.emit('reached');
  }
}
