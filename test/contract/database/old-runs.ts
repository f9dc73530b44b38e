import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExpiryPass, type RemovedByRule, type RetentionRules } from '@proctor/retention';
import { FolderStore } from '@proctor/store';
import { generateFinishedRuns } from '@test/generator/finished-runs';
import { type Fixture, setUp } from './fixture';

/** The end of the days in which the runs have finished, and the time at which passes take place. */
export const UNTIL = new Date('2026-11-20T12:00:00Z');

/** Nothing but what a spec says of days is removed. */
const RULES = { packageBytesMax: 10 ** 12, packages: {} };

type Days = Pick<RetentionRules, 'artifactsDays' | 'failedArtifactsDays' | 'logsDays' | 'storyDays'>;

/** Everything goes that is older than a day. */
export const A_DAY: Days = { artifactsDays: 1, failedArtifactsDays: 1, logsDays: 1, storyDays: 1 };

/** Nothing is removed by its age. */
export const NO_END: Days = {
  artifactsDays: 9_999,
  failedArtifactsDays: 9_999,
  logsDays: 9_999,
  storyDays: 9_999,
};

/** What a pass has counted at its end. */
interface Counts {
  removed: RemovedByRule[];
  stories: number;
  runs: number;
}

/** A database with the runs of 500 days, and a store. */
export interface OldRuns extends Fixture {
  folder: string;
  store: FolderStore;
  /** Removes what is old by these rules, and returns what it has counted. */
  expire(
    rules?: Partial<RetentionRules>,
    options?: { isRehearsal?: boolean; store?: FolderStore },
  ): Promise<Counts>;
  /** The figures of each day, and how each package is, made of all runs. */
  statistics(): Promise<Record<'runDays' | 'packageDays' | 'packages', unknown[]>>;
}

/** @param days the rules that `expire` uses when it gets no others */
export async function setUpOldRuns(
  generated: { runs: number; suites: string[]; packages: number },
  days: Days,
): Promise<OldRuns> {
  const fixture = await setUp();
  const { client, database } = fixture;
  const folder = await mkdtemp(join(tmpdir(), 'proctor-expiry-'));
  const store = new FolderStore(folder);
  await generateFinishedRuns(client, {
    ...{ ...generated, seed: 7, architectures: ['amd64'] },
    ...{ until: UNTIL, days: 500, privateShare: 0.2 },
  });
  return {
    ...fixture,
    folder,
    store,
    async expire(rules = {}, { isRehearsal = false, store: expiringStore = store } = {}) {
      const options = { isRehearsal, pause: () => Promise.resolve(), isEnded: () => false, now: () => UNTIL };
      const pass = new ExpiryPass(database.expiry, expiringStore, { ...RULES, ...days, ...rules }, options);
      await pass.run();
      const { removedByRule: removed, stories, runs } = pass.counts;
      return { removed, stories, runs };
    },
    async statistics() {
      const { dayStatistics, statusProjection } = database;
      while (await statusProjection.step('amd64'));
      while (await dayStatistics.step('amd64'));
      const [since, everything] = ['2000-01-01', { suite: null, arch: null }];
      const { rows: packages } = await client.query(
        'select * from package_statuses order by package, suite, arch',
      );
      return {
        runDays: await dayStatistics.runs(since, everything),
        // Those of today may be those of the next day when they are asked for again.
        packageDays: (await dayStatistics.packages(since, everything)).filter(
          ({ day }) => day <= UNTIL.toISOString(),
        ),
        packages,
      };
    },
    async close() {
      await fixture.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
